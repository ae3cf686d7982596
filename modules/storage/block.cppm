module;
#if !defined(__clang__)
#include <atomic>
#include <cstddef>
#include <cstdint>
#endif

export module tensorplay.storage:block;

import tensorplay.standard;
import :access;

// Not exported: handles hold it, lib/ derives from it.
namespace tensorplay {

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
  inline void add_share() const noexcept { count_shares(1, std::memory_order_relaxed); }
  inline void drop_share() const noexcept {
    // Whoever has the only share needs no exchange to know that it is the last.
    if (shares_.load(std::memory_order_acquire) == 1 || count_shares(-1, std::memory_order_acq_rel) == 1) delete this;
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
  /// Adds to the shares; gives how many there were. While there is one thread this needs no exchange, which is most of what a share costs.
  inline std::int64_t count_shares(std::int64_t change, std::memory_order order) const noexcept {
    if (*single_threaded_ == 0) return shares_.fetch_add(change, order);
    const auto found = shares_.load(std::memory_order_relaxed);
    shares_.store(found + change, std::memory_order_relaxed);
    return found;
  }

  /// Where the C library notes that no other thread has been started; zero where it does not.
  static const char* const single_threaded_;

  std::byte* data_ = nullptr;
  std::int64_t nbytes_ = 0;
  access mode_;
  bool shared_;
  mutable std::atomic<std::int64_t> shares_{1};
};

}  // namespace tensorplay
