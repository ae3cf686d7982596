module;
#if !defined(__clang__)
#include <cstdint>
#include <filesystem>
#include <optional>
#endif

export module tensorplay.storage:mapping;

import tensorplay.standard;
import :access;
import :handle;

export namespace tensorplay {

/// How map_file maps.
struct map_options {
  access mode = access::copy_on_write;

  /// For read_only alone: whether is_shared() says so. read_write always is shared, copy_on_write never.
  bool shared = false;

  /// Where the mapping begins, in bytes from the start of the file; it need not be a multiple of the page size.
  std::int64_t offset_bytes = 0;

  /// For read_write alone: makes a missing file (mode 0600 less the umask) and extends a short one with zeros.
  bool create = false;

  /// Extends without reserving disk space: a later store may then find the disk full, which is a SIGBUS.
  bool sparse = false;
};

/// Maps bytes of a regular file; none is read until it is touched.
///
/// filename  symbolic links are followed.
/// nbytes    without a value: to the end of the file. Zero gives an empty storage and touches no file.
///
/// Errors    std::invalid_argument: an empty filename or one with a NUL; a negative count or offset, or a sum of the two that
///           overflows. storage_error: the file is missing, not regular (said at once, a FIFO is not waited for), too short, or
///           what the system refuses: EACCES, ENOSPC, EFBIG, ENOMEM and so on.
/// On error  nothing stays mapped or open, and the file is as it was: one that the call would have created does not exist.
/// Growth    The space is reserved before the file's size changes, where the file system can. The size never shrinks, whoever
///           else extends the file at the same time. A new file appears under its name complete.
/// Lifetime  until the last copy of the storage is gone. The descriptor is closed on return. Boost opens it without
///           close-on-exec: a process that another thread forks and executes during the call inherits it.
/// Cost      stat, open, fstat, mmap, close; independent of size. Growth takes more.
storage map_file(const std::filesystem::path& filename, std::optional<std::int64_t> nbytes, map_options options = {});

/// Judges a range of a file without touching the file system.
///
/// nbytes    without a value: to the end of the file.
/// Errors    std::invalid_argument: a negative count or offset, or a sum of the two that overflows.
void require_valid_range(const std::optional<std::int64_t>& nbytes, std::int64_t offset_bytes);

/// Judges a filename without touching the file system.
///
/// Errors    std::invalid_argument: it is empty or holds a NUL.
void require_valid_filename(const std::filesystem::path& filename);

}  // namespace tensorplay
