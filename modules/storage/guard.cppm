module;
#if !defined(__clang__)
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#endif

export module tensorplay.storage:guard;

import tensorplay.standard;
import :handle;

namespace tensorplay {

inline const storage& storage_of(const storage& bytes) noexcept { return bytes; }
template <class Tensor>
auto storage_of(const Tensor& tensor) noexcept -> decltype(tensor.storage()) {
  return tensor.storage();
}

}  // namespace tensorplay

export namespace tensorplay {

/// While it lives, a page that the mapped file no longer has does not kill the process: reads see zeros, stores go nowhere, and
/// check() says what was lost.
///
///     const fault_guard guard{tensor};
///     const auto total = sum(tensor);
///     guard.check();  // throws if somebody has truncated the file, and total is not to be trusted
///
/// Covers    truncation by anybody, failing devices, and disks that are full at a store to a sparse file. Not hugetlbfs.
/// Threads   every thread's accesses are covered. A thread that blocks SIGBUS would be killed by the kernel: it is unblocked in the
///           thread that makes the guard and blocked again at the end. Guards nest and may overlap.
/// Signals   the first guard of the process puts a handler of SIGBUS in front of the one that is there and the last one restores it.
///           A SIGBUS that is none of ours goes on to that one, with its mask, flags and stack.
/// After     a loss the storage stays is_lost(): the zeros are not the file's.
/// Cost      a descriptor per file and some ten system calls from begin to end; an access costs nothing, a loss one signal.
/// Source    the handlers of wayland-shm and systemd: no jump out of the handler, zeros over the page.
class fault_guard {
 public:
  /// Guards storages, or the storages of tensors; heap memory and empty storages need none.
  ///
  /// Errors    storage_error: no descriptor is left to watch a file with. std::bad_alloc.
  template <class... Guarded>
    requires(sizeof...(Guarded) > 0) && requires(const Guarded&... guarded) { (storage_of(guarded), ...); }
  explicit fault_guard(const Guarded&... guarded) : fault_guard{std::initializer_list<storage>{storage_of(guarded)...}} {}
  explicit fault_guard(std::initializer_list<storage> several);
  explicit fault_guard(std::span<const storage> several);

  fault_guard(const fault_guard&) = delete;
  fault_guard& operator=(const fault_guard&) = delete;

  /// Ends the guard without a word on what was lost.
  ~fault_guard();

  /// Says whether all bytes are still there.
  ///
  /// A file that was cut within its last page shows zeros there without a fault: sizes are compared, too, where the path named the
  /// mapped file when the guard was made.
  /// Errors    storage_error (truncated): wanted_bytes() and found_bytes() of the file, first_bad_offset() in the storage. The
  ///           system's EIO: a page of the file could not be read, or not be written.
  void check() const;

  /// The same for some bytes of a guarded storage: what is lost behind them does not count.
  ///
  /// Errors    also std::invalid_argument: a range that is not within the storage.
  void check(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes) const;

  /// Checks, and ends the guard if nothing was lost.
  ///
  /// Errors    those of check(); the guard goes on then.
  void commit();

 private:
  class watches;

  std::unique_ptr<watches> watches_;
};

}  // namespace tensorplay
