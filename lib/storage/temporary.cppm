module;
#include <sys/types.h>
#if !defined(__clang__)
#include <cstdint>
#include <filesystem>
#include <memory>
#endif

module tensorplay.storage:temporary;

import tensorplay.standard;
import :descriptor;
import :pages;

namespace tensorplay {

/// A new empty file beside a target, gone again unless it is published or renamed.
class temporary_file {
 public:
  /// target    the final path, symbolic links resolved.
  /// mode      less the umask.
  temporary_file(std::filesystem::path target, ::mode_t mode, const std::filesystem::path& named_by_user);
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file();

  const descriptor& file() const noexcept { return file_; }
  const std::filesystem::path& path() const noexcept { return path_; }

  /// Ends the writing.
  ///
  /// Errors    storage_error: what was written is lost.
  void close();

  /// Gives the file its final name if no other file has it; false where one has.
  bool publish();

  /// Gives the file its final name, in place of the one that has it.
  void replace();

 private:
  const std::filesystem::path target_;
  const std::filesystem::path named_by_user_;
  std::filesystem::path path_;
  descriptor file_;
};

/// Maps bytes of a temporary file, shared, as what they are going to be: bytes of the file that the user knows.
std::unique_ptr<file_pages> map_temporary(const temporary_file& made, const std::filesystem::path& named_by_user,
                                          std::int64_t nbytes, std::int64_t offset_bytes);

}  // namespace tensorplay
