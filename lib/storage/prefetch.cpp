module;
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

module tensorplay.storage;

import :pages;

namespace tensorplay {
namespace {

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
    std::int64_t asked = 0;
    for (std::int64_t loaded = 0; loaded < nbytes_ && !is_cancelled_.load(std::memory_order_relaxed);) {
      for (const auto wanted = std::min(nbytes_, loaded + ahead_bytes); asked < wanted;) {
        const auto count = std::min(wanted - asked, piece_bytes);
        pages_.ask_for(offset_bytes_ + asked, count);
        asked += count;
      }
      const auto count = std::min(nbytes_ - loaded, piece_bytes);
      pages_.load(offset_bytes_ + loaded, count);
      loaded += count;
      loaded_bytes_.store(loaded, std::memory_order_release);
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
