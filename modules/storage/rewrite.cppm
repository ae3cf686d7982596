module;
#if !defined(__clang__)
#include <cstddef>
#include <cstdint>
#include <span>
#endif

export module tensorplay.storage:rewrite;

import tensorplay.standard;
import :handle;

export namespace tensorplay {

/// Replaces bytes of a storage, all of them, piece by piece: where they stand, or for a large private mapping in fresh memory that
/// then takes their place. A private mapping otherwise copies each page of the file at its first store, a small page at a time.
///
///     for (private_rewrite pieces{bytes, offset, nbytes}; pieces.next(); pieces.place()) calculate(pieces.to(), pieces.from(), ...);
///
/// The addresses of the bytes do not change. What lies outside the range is not touched. Pieces are cut between pages.
/// Errors    std::invalid_argument: a range that is not within the storage, or a read-only storage.
/// Threads   as stores to all bytes of the range.
/// Cost      a private page that was never stored to costs a quarter of a first store; a range that was rewritten already, and what is
///           too small to gain, is stored to in place.
class private_rewrite {
 public:
  private_rewrite(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes);
  private_rewrite(const private_rewrite&) = delete;
  private_rewrite& operator=(const private_rewrite&) = delete;
  ~private_rewrite();

  /// Goes to the next piece; false behind the last one.
  bool next();

  /// Where the piece's new bytes are to be written: its own place, or fresh memory.
  std::byte* to() const noexcept { return to_; }

  /// The piece's bytes as they are.
  const std::byte* from() const noexcept { return from_; }
  std::int64_t nbytes() const noexcept { return nbytes_; }

  /// Puts what was written in its place.
  ///
  /// Errors    std::bad_alloc: the system has no memory for its own tables. The bytes are the new ones all the same.
  void place();

 private:
  bool take_fresh_memory(std::int64_t nbytes) noexcept;
  void give_back() noexcept;

  storage bytes_;
  std::byte* at_;  // the bytes that are still to be visited
  std::int64_t remaining_;
  bool replaces_;  // whether fresh memory is used at all
  std::byte* to_ = nullptr;
  const std::byte* from_ = nullptr;
  std::int64_t nbytes_ = 0;
  std::byte* fresh_ = nullptr;  // what the system gave, which holds to_
  std::int64_t fresh_bytes_ = 0;
};

/// Replaces bytes of a large shared mapping, from the first to the last, by writing them to the file: a page that was never touched then
/// costs no fault, and the old content of a file outside the cache is not read.
///
///     if (shared_rewrite file{bytes, offset, nbytes}) {
///       file.write(first_bytes);
///       file.write(further_bytes);
///     }
///
/// The mapping shows what was written at once. What lies outside the range is not touched.
/// When      the mapping is shared and writable, under no fault_guard, on a local file system, its path still names the file, and the
///           range was not rewritten before: pages that are mapped already are better stored to.
/// Errors    std::invalid_argument: a range that is not within the storage, a read-only storage, more bytes than the range has.
/// Threads   as stores to all bytes of the range.
class shared_rewrite {
 public:
  shared_rewrite(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes);
  shared_rewrite(const shared_rewrite&) = delete;
  shared_rewrite& operator=(const shared_rewrite&) = delete;
  ~shared_rewrite();

  /// Whether the bytes are to be written so; if not, store to them.
  explicit operator bool() const noexcept { return file_ != -1; }

  /// Replaces the next bytes. What the file does not take is stored to the mapping instead.
  ///
  /// Errors    storage_error: no space for a sparse file's pages, where a store would be a SIGBUS. Those written before stay written.
  void write(std::span<const std::byte> next);

  /// Replaces the next nbytes by a pattern that is repeated. The system writes 256 of it at a time: 16 KiB make large pieces of what
  /// stays in the processor's cache.
  ///
  /// Errors    also std::invalid_argument: an empty pattern.
  void write_repeated(std::span<const std::byte> pattern, std::int64_t nbytes);

 private:
  storage bytes_;
  std::int64_t at_;
  std::int64_t end_;
  int file_ = -1;  // owned
};

}  // namespace tensorplay
