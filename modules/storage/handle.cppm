module;
#if !defined(__clang__)
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>
#endif

export module tensorplay.storage:handle;

import tensorplay.standard;
import :access;
import :block;

namespace tensorplay {

// g++ 14 lets an importer turn a string into a path only where a partition has done so itself.
inline std::filesystem::path path_from(const char* text) { return text; }

}  // namespace tensorplay

export namespace tensorplay {

/// A handle to the bytes of a tensor: a mapped file or heap memory, shared by all copies of the handle.
///
/// A default-constructed or moved-from storage is empty: no bytes, no filename, and every call is safe.
///
/// Lifetime  the bytes live until the last copy of the handle is gone; then they are unmapped or freed. The file stays.
/// Threads   handles may be copied and dropped from any thread; the bytes are the caller's to guard.
/// Cost      copying counts one reference; an atomic exchange from when on the program has started a thread.
class storage {
 public:
  storage() noexcept = default;

  /// For the functions that make storages: map_file and allocate.
  inline explicit storage(std::unique_ptr<const block> bytes) noexcept : block_{bytes.release()} {}

  inline storage(const storage& other) noexcept : block_{other.block_} {
    if (block_) block_->add_share();
  }
  inline storage(storage&& other) noexcept : block_{std::exchange(other.block_, nullptr)} {}
  inline storage& operator=(storage other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  inline ~storage() {
    if (block_) block_->drop_share();
  }

  /// The first byte; null when empty.
  inline const std::byte* data() const noexcept { return block_ ? block_->data() : nullptr; }

  /// The first byte, for stores; null when empty.
  ///
  /// Errors    std::invalid_argument: the storage is read_only.
  inline std::byte* mutable_data() const {
    if (block_ && block_->mode() == tensorplay::access::read_only) throw_read_only();
    return block_ ? block_->data() : nullptr;
  }

  /// Bytes, not elements.
  inline std::int64_t nbytes() const noexcept { return block_ ? block_->nbytes() : 0; }

  /// What may be done with the bytes; read_write when empty.
  tensorplay::access access() const noexcept;

  /// The path that was mapped, as it was given; empty for heap memory.
  std::filesystem::path filename() const;

  /// True for a shared mapping of a file alone: stores of other processes are seen here.
  bool is_shared() const noexcept;

  /// Hands every store to the file system: on return the bytes are with it (MS_SYNC).
  ///
  /// Private, read-only and empty storages and heap memory have nothing to flush.
  /// Errors    storage_error: what the system or the device refuses; truncated: is_lost().
  void flush() const;

  /// The same for the pages that hold some of the bytes.
  ///
  /// Errors    also std::invalid_argument: a range that is not within the storage.
  void flush(std::int64_t offset_bytes, std::int64_t nbytes) const;

  /// Whether the path names another file by now, or the same with another size or modification time than when it was mapped.
  ///
  /// Stores through a shared mapping change the time as well, this process's own included. False for heap memory and empty storages.
  /// Errors    storage_error: the path cannot be looked at. A path that names no file is stale.
  bool is_stale() const;

  /// Whether a fault_guard had to put zeros in place of bytes that the file no longer has. flush, advise, verify, read_checked and
  /// the functions of tensors that copy or save then report it; map the file again.
  bool is_lost() const noexcept;

  /// Errors    storage_error, as fault_guard::check() gives it: is_lost(). operation says in the message what was to be done.
  void require_intact(std::string_view operation) const;

  /// Tells the system how the pages are going to be used; no content ever changes.
  ///
  /// dont_need is obeyed by shared mappings alone: a private one would lose its stores. Heap memory ignores all advice.
  /// Errors    storage_error: the system refuses.
  void advise(advice pages) const;

 private:
  friend const block* block_of(const storage& bytes) noexcept;
  [[noreturn]] static void throw_read_only();

  const block* block_ = nullptr;
};

}  // namespace tensorplay

namespace tensorplay {

/// For lib/: the bytes behind a handle; null when empty.
const block* block_of(const storage& bytes) noexcept;

}  // namespace tensorplay
