module;
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

export module tensorplay.storage:replacement;

export namespace tensorplay {

/// A new content for a file, written beside it and renamed over it: mappings of the old file keep every byte.
///
/// The target of a symbolic link is replaced, not the link. A replaced file's mode and, where the system lets us, its owner are
/// kept; a new file has mode 0666 less the umask.
///
/// On error  and whenever commit() was not called: the file is as it was, and nothing lies beside it.
/// Crash     leaves the old file or the new one, never a mixture: commit() has the bytes on the disk before it renames.
class file_replacement {
 public:
  /// Opens the new file and reserves its space.
  ///
  /// nbytes    the size of the new file; exactly so many bytes must be written.
  /// Errors    std::invalid_argument: the filename. storage_error: the target is not a regular file, or the system refuses.
  file_replacement(const std::filesystem::path& filename, std::int64_t nbytes);

  file_replacement(file_replacement&&) noexcept;
  file_replacement& operator=(file_replacement&&) noexcept;
  ~file_replacement();

  /// Appends bytes; pieces of 2 MiB or more make a file whose mapping scans fast.
  ///
  /// Errors    storage_error: the system refuses. std::invalid_argument: more bytes than were announced, or after commit().
  void write(std::span<const std::byte> bytes);

  /// Makes the new content the file's.
  ///
  /// Errors    storage_error: the system refuses. std::invalid_argument: fewer bytes were written than announced, or a second commit().
  void commit();

 private:
  class writer;
  writer& open_writer() const;

  std::unique_ptr<writer> writer_;
};

}  // namespace tensorplay
