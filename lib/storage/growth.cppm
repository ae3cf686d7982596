module;
#if !defined(__clang__)
#include <cstdint>
#include <filesystem>
#endif

module tensorplay.storage:growth;

import tensorplay.standard;
import :descriptor;

namespace tensorplay {

/// Lets one grower at a time work in a folder: processes and threads that extend the same file wait for each other.
///
/// It locks the folder, not the file: a user who locks the file and then grows it must not wait for himself. A folder that
/// cannot be opened or locked (network file systems) goes unlocked.
class growth_lock {
 public:
  explicit growth_lock(const std::filesystem::path& filename);
  growth_lock(const growth_lock&) = delete;
  growth_lock& operator=(const growth_lock&) = delete;
  ~growth_lock();

 private:
  descriptor folder_;
};

/// Disk space behind the end of a file, taken without a change of its size; given back unless the growth is committed.
class growth {
 public:
  /// file      open for writing; must outlive this. Its size is found_bytes.
  /// Errors    storage_error: no space, or a size that the file system or a limit forbids.
  growth(const descriptor& file, const std::filesystem::path& filename, std::int64_t found_bytes, std::int64_t wanted_bytes,
         bool sparse);
  growth(const growth&) = delete;
  growth& operator=(const growth&) = delete;
  ~growth();

  /// Extends the file to the wanted size; one that somebody has made longer by now stays so.
  void commit();

 private:
  void give_back() noexcept;

  const descriptor& file_;
  const std::filesystem::path& filename_;
  std::int64_t wanted_bytes_;
  bool reserved_ = false;
};

}  // namespace tensorplay
