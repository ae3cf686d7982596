module;
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <atomic>
#include <cstddef>
#include <cstdint>

export module tensorplay.storage:block;

import :access;

// Not exported: handles hold it, lib/ derives from it.
namespace tensorplay {

/// Whether the C library knows that no other thread has been started: counting then needs no atomic exchange, which is most of what a
/// share costs.
inline bool is_single_threaded() noexcept {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded;
#else
  return false;
#endif
}

/// The bytes that handles share: a heap block or a mapped region. The destructor gives them back.
class block {
 public:
  block(const block&) = delete;
  block& operator=(const block&) = delete;
  virtual ~block() = default;

  inline std::byte* data() const noexcept { return data_; }
  inline std::int64_t nbytes() const noexcept { return nbytes_; }
  inline access mode() const noexcept { return mode_; }
  inline bool is_shared() const noexcept { return shared_; }

  /// Whether this is a file_pages.
  virtual bool shows_file() const noexcept { return false; }

  /// Whoever makes a block has the first share; dropping the last one deletes it.
  inline void add_share() const noexcept {
    if (is_single_threaded()) {
      shares_.store(shares_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      shares_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  inline void drop_share() const noexcept {
    // Whoever has the only share needs no exchange to know that it is the last.
    const auto found = shares_.load(std::memory_order_acquire);
    if (found == 1) {
      delete this;
    } else if (is_single_threaded()) {
      shares_.store(found - 1, std::memory_order_relaxed);
    } else if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

 protected:
  /// No bytes yet.
  inline block(access mode, bool shared) noexcept : mode_{mode}, shared_{shared} {}

  /// Sets the bytes; nobody shares the block yet.
  inline void show(std::byte* data, std::int64_t nbytes) noexcept {
    data_ = data;
    nbytes_ = nbytes;
  }

 private:
  std::byte* data_ = nullptr;
  std::int64_t nbytes_ = 0;
  access mode_;
  bool shared_;
  mutable std::atomic<std::int64_t> shares_{1};
};

}  // namespace tensorplay
