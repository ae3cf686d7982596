module;
#if !defined(__clang__)
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#endif

export module tensorplay.storage:replacement;

import tensorplay.standard;
import :handle;

export namespace tensorplay {

/// How a file gets its new content.
struct replacement_options {
  /// The bytes and the name are on the disk before commit() returns. false: a crash of the machine, not of the process, may lose
  /// them; the file is the old or the new one all the same.
  bool durable = true;

  /// false: a file that is there is an error (EEXIST), however late it came.
  bool overwrite = true;

  /// The old content stays in front, copied to the new file; a missing file counts as an empty one. Processes that append so at
  /// once wait for each other. overwrite does not matter then.
  bool append = false;
};

/// A new content for a file, written beside it and renamed over it: mappings of the old file keep every byte.
///
/// The target of a symbolic link is replaced, not the link. A replaced file's mode and, where the system lets us, its owner are
/// kept; a new file has mode 0666 less the umask.
///
/// On error  and whenever commit() was not called: the file is as it was, and nothing lies beside it. One error comes later: where
///           the folder cannot be synced, the new content is in place, but a crash of the machine may bring back the old.
/// Crash     leaves the old file or the new one, never a mixture: commit() has the bytes on the disk before it renames. A process
///           that is killed leaves its new file, `.tensorplay-PROCESS-NUMBER`, which may be deleted.
class file_replacement {
 public:
  /// Opens the new file and reserves its space.
  ///
  /// nbytes    the bytes of the new file, or those to append: all must be written, or map() called.
  /// Errors    std::invalid_argument: the filename, a negative count. storage_error: the target is not a regular file, or the system
  ///           refuses.
  file_replacement(const std::filesystem::path& filename, std::int64_t nbytes, replacement_options options = {});

  file_replacement(file_replacement&&) noexcept;
  file_replacement& operator=(file_replacement&&) noexcept;
  ~file_replacement();

  /// Appends bytes; pieces of 2 MiB or more make a file whose mapping scans fast.
  ///
  /// Errors    storage_error: the system refuses. std::invalid_argument: more bytes than were announced, or after commit().
  void write(std::span<const std::byte> bytes);

  /// The bytes to be written, as a shared mapping of the new file, zeros at first: what is stored there is in the file on commit().
  ///
  /// Errors    storage_error: the system refuses. std::invalid_argument: bytes were written already, or after commit().
  /// Lifetime  stays valid after commit(), as a mapping of the file under its final name.
  storage map();

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
