module;
#if !defined(__clang__)
#include <cstdint>
#include <memory>
#endif

export module tensorplay.storage:prefetch;

import tensorplay.standard;
import :handle;

export namespace tensorplay {

/// Pages of a mapping on their way into memory: a thread of its own loads them, first byte first, while others work.
///
/// Lifetime  keeps the storage. Its end cancels what is left and waits for the piece at hand.
/// Threads   the counter, is_done() and cancel() may be called from any thread, wait() from one at a time.
class prefetching {
 public:
  /// Nothing to load, and done.
  prefetching() noexcept;
  prefetching(prefetching&&) noexcept;
  prefetching& operator=(prefetching&&) noexcept;
  ~prefetching();

  /// Bytes that were asked for.
  std::int64_t nbytes() const noexcept;

  /// Bytes that are loaded by now, for a progress bar: never falls, and reaches nbytes() unless it is cancelled or fails.
  std::int64_t loaded_bytes() const noexcept;

  /// Whether nothing is loaded any more: all is there, it was cancelled, or it failed.
  bool is_done() const noexcept;

  /// Asks to load nothing after the piece at hand; returns at once.
  void cancel() noexcept;

  /// Waits until it is done.
  ///
  /// Errors    storage_error: pages are not there, since the file was truncated or its device fails; once.
  void wait();

 private:
  friend prefetching prefetch(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes);
  class work;
  prefetching(std::int64_t nbytes, std::unique_ptr<work> started) noexcept;

  std::int64_t nbytes_ = 0;
  std::unique_ptr<work> work_;  // none where all is in memory already
};

/// Loads the pages of a mapping in the background, so that who reads them soon waits for no device. Keep what is returned: its end
/// cancels.
///
/// For a cold file that is read from begin to end; what is larger than memory is asked for part by part. Heap memory and empty
/// storages are there already.
/// Errors    std::invalid_argument: a range that is not within the storage. std::system_error: the system has no more threads.
/// Cost      a thread, and while it works a second mapping of the file, in which pieces of 4 MiB are read as huge pages where the file
///           system has them. Of pages that are in memory already, some nanoseconds for each.
/// Source    madvise(2), MADV_POPULATE_READ; kernels before 5.14 read as MADV_WILLNEED does, and count what they have begun to read.
[[nodiscard]] prefetching prefetch(const storage& bytes);
[[nodiscard]] prefetching prefetch(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes);

}  // namespace tensorplay
