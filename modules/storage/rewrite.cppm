module;
#include <cstddef>
#include <cstdint>

export module tensorplay.storage:rewrite;

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

}  // namespace tensorplay
