module;
#if !defined(__clang__)
#include <cstddef>
#include <cstdint>
#include <span>
#endif

export module tensorplay.storage:verification;

import tensorplay.standard;
import :handle;

export namespace tensorplay {

struct verify_options {
  /// Reads every page, so that a device's error shows as well. false: looks at the last page alone, for a file loses its end first.
  bool load = true;
};

/// Says before the first touch whether the file still has all bytes of a storage; nothing to say of heap memory.
///
/// Errors    storage_error: truncated, with wanted_bytes(), found_bytes() and first_bad_offset(); EIO: a page that cannot be read;
///           EOPNOTSUPP: the kernel is older than 5.14 and the path names another file by now, so that sizes cannot be compared.
/// Threads   what is true on return may be false a moment later: a fault_guard holds while you work.
/// Cost      stat and madvise; with load the reading of what is not in memory yet. Private pages are not copied.
void verify(const storage& bytes, verify_options options = {});

/// The same for some of its bytes.
///
/// Errors    also std::invalid_argument: a range that is not within the storage.
void verify(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes, verify_options options = {});

/// Copies bytes out of a storage: an error where an access would be a SIGBUS.
///
/// Errors    std::invalid_argument: a range that is not within the storage. storage_error: those of fault_guard::check(); to then
///           holds some of the bytes.
/// Cost      a fault_guard and one copy.
void read_checked(const storage& bytes, std::int64_t offset_bytes, std::span<std::byte> to);

/// Judges a range of a storage.
///
/// Errors    std::invalid_argument: it is negative or does not lie within.
void require_range(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes);

}  // namespace tensorplay
