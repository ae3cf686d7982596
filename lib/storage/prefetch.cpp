module;
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

module tensorplay.storage;

import :pages;

namespace tensorplay {
namespace {

#if !defined(MADV_POPULATE_READ)
constexpr int MADV_POPULATE_READ = 22;  // Linux 5.14
#endif

constexpr std::int64_t piece_bytes{std::int64_t{4} << 20};
constexpr std::int64_t ahead_bytes = 4 * piece_bytes;  // what the device is busy with while a piece is waited for

/// Threads that start meanwhile handle no signal of the process.
class signals_blocked {
 public:
  signals_blocked() noexcept {
    ::sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;
  ~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  ::sigset_t before_{};
};

/// A second mapping of the file, which asks for huge pages: where the first page of a piece is missed there, the kernel reads the whole
/// piece in pages as large, whatever the device's read-ahead is. What is asked for through the user's mapping comes in small pages,
/// which cost more to read, to map and to touch.
///
/// Source    do_sync_mmap_readahead, mm/filemap.c
class large_reads {
 public:
  /// Of the pieces that lie whole in these bytes of the file.
  large_reads(const file_pages& pages, std::int64_t first_byte, std::int64_t end_byte) noexcept
      : first_byte_{(first_byte + piece_bytes - 1) / piece_bytes * piece_bytes},
        end_byte_{std::max(end_byte / piece_bytes * piece_bytes, first_byte_)} {
    if (first_byte_ == end_byte_) return;
    const auto file = pages.open_again(O_RDONLY);
    if (file.number() == -1) return;
    auto* const mapped = ::mmap(nullptr, size(), PROT_READ, MAP_SHARED, file.number(), first_byte_);
    if (mapped == MAP_FAILED) return;
    mapped_ = static_cast<std::byte*>(mapped);
    ::madvise(mapped_, size(), MADV_HUGEPAGE);
  }
  large_reads(const large_reads&) = delete;
  large_reads& operator=(const large_reads&) = delete;
  ~large_reads() {
    if (mapped_ != nullptr) ::munmap(mapped_, size());
  }

  /// Has the piece read that begins here in the file, if it is one of them, and waits for its first page. Quiet where that fails: who
  /// loads the piece says why.
  void ask_for(std::int64_t first_byte) noexcept {
    if (mapped_ == nullptr || first_byte < first_byte_ || first_byte >= end_byte_) return;
    ::madvise(mapped_ + (first_byte - first_byte_), 1, MADV_POPULATE_READ);
  }

 private:
  std::size_t size() const noexcept { return static_cast<std::size_t>(end_byte_ - first_byte_); }

  std::int64_t first_byte_;
  std::int64_t end_byte_;
  std::byte* mapped_ = nullptr;
};

}  // namespace

class prefetching::work {
 public:
  work(const storage& bytes, const file_pages& pages, std::int64_t offset_bytes, std::int64_t nbytes)
      : bytes_{bytes}, pages_{pages}, offset_bytes_{offset_bytes}, nbytes_{nbytes} {
    const signals_blocked meanwhile;
    thread_ = std::thread{[this] { load(); }};
  }
  work(const work&) = delete;
  work& operator=(const work&) = delete;
  ~work() {
    cancel();
    if (thread_.joinable()) thread_.join();
  }

  std::int64_t loaded_bytes() const noexcept { return loaded_bytes_.load(std::memory_order_acquire); }
  bool is_done() const noexcept { return is_done_.load(std::memory_order_acquire); }
  void cancel() noexcept { is_cancelled_.store(true, std::memory_order_relaxed); }

  void wait() {
    if (thread_.joinable()) thread_.join();
    if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
  }

 private:
  void load() noexcept {
    try {
      load_pieces();
    } catch (...) {
      failure_ = std::current_exception();
    }
    is_done_.store(true, std::memory_order_release);
  }

  void load_pieces() {
    // In the file's offsets, since that is where its large pages begin.
    const auto first = pages_.offset_in_file() + offset_bytes_;
    const auto end = first + nbytes_;
    large_reads large{pages_, first, end};
    const auto end_of_piece = [&](std::int64_t begin) { return std::min(end, (begin / piece_bytes + 1) * piece_bytes); };
    const auto in_storage = [&](std::int64_t begin) { return begin - pages_.offset_in_file(); };
    auto asked = first;
    for (auto loaded = first; loaded < end && !is_cancelled_.load(std::memory_order_relaxed);) {
      for (const auto wanted = std::min(end, loaded + ahead_bytes); asked < wanted;) {
        const auto next = end_of_piece(asked);
        large.ask_for(asked);
        pages_.ask_for(in_storage(asked), next - asked);  // what is missing still
        asked = next;
      }
      const auto next = end_of_piece(loaded);
      pages_.load(in_storage(loaded), next - loaded);
      loaded = next;
      loaded_bytes_.store(loaded - first, std::memory_order_release);
    }
  }

  const storage bytes_;  // keeps the pages
  const file_pages& pages_;
  const std::int64_t offset_bytes_;
  const std::int64_t nbytes_;
  std::atomic<std::int64_t> loaded_bytes_{0};
  std::atomic<bool> is_cancelled_{false};
  std::atomic<bool> is_done_{false};
  std::exception_ptr failure_;  // read after the thread's end
  std::thread thread_;
};

prefetching::prefetching() noexcept = default;
prefetching::prefetching(std::int64_t nbytes, std::unique_ptr<work> started) noexcept
    : nbytes_{nbytes}, work_{std::move(started)} {}
prefetching::prefetching(prefetching&&) noexcept = default;
prefetching& prefetching::operator=(prefetching&&) noexcept = default;
prefetching::~prefetching() = default;

std::int64_t prefetching::nbytes() const noexcept { return nbytes_; }
std::int64_t prefetching::loaded_bytes() const noexcept { return work_ ? work_->loaded_bytes() : nbytes_; }
bool prefetching::is_done() const noexcept { return !work_ || work_->is_done(); }

void prefetching::cancel() noexcept {
  if (work_) work_->cancel();
}

void prefetching::wait() {
  if (work_) work_->wait();
}

prefetching prefetch(const storage& bytes) { return prefetch(bytes, 0, bytes.nbytes()); }

prefetching prefetch(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes) {
  require_range(bytes, offset_bytes, nbytes);
  const auto* pages = pages_behind(bytes);
  if (pages == nullptr || nbytes == 0) return {nbytes, nullptr};
  return {nbytes, std::make_unique<prefetching::work>(bytes, *pages, offset_bytes, nbytes)};
}

}  // namespace tensorplay
