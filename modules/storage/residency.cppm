module;
#if !defined(__clang__)
#include <cstdint>
#include <span>
#endif

export module tensorplay.storage:residency;

import tensorplay.standard;
import :handle;

export namespace tensorplay {

/// How much of a mapping is in memory.
struct residency_counts {
  std::int64_t pages = 0;           ///< pages that hold the bytes
  std::int64_t resident_pages = 0;  ///< those in memory: an access to them waits for no device
};

/// Counts the pages of a storage that are in memory, the file system's cache included. Heap memory and empty storages have none.
///
/// The kernel tells who may write the file or owns it; to others all pages seem to be there.
/// Errors    std::invalid_argument: a range that is not within the storage. storage_error: the system refuses.
/// Cost      a byte of memory and some nanoseconds for each page. No page is loaded.
/// Source    mincore(2)
residency_counts residency(const storage& bytes);
residency_counts residency(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes);

/// Gives the memory of a mapping's pages back; the next access reads the file again. Stores to shared mappings are flushed first,
/// those to private ones stay where they are. Heap memory stays.
///
/// Errors    std::invalid_argument: a range that is not within the storage. storage_error: what flush() reports, or the system
///           refuses (a kernel older than 5.4). Pages that others use as well may stay.
/// Source    madvise(2), MADV_PAGEOUT
void evict(const storage& bytes);
void evict(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes);

/// While it lives, a mapping is read at scattered places: all of them are asked for at once, and no page beside them is read ahead.
///
/// What is in memory already costs nothing but a look at some of the places.
class scattered_read {
 public:
  /// offset_bytes  of the places in the storage, each of nbytes.
  /// Errors        std::invalid_argument: a place that is not within the storage.
  scattered_read(const storage& bytes, std::span<const std::int64_t> offset_bytes, std::int64_t nbytes);
  scattered_read(const scattered_read&) = delete;
  scattered_read& operator=(const scattered_read&) = delete;

  /// The pages are read ahead again as they were before.
  ~scattered_read();

  /// Whether the places were asked for.
  bool is_cold() const noexcept { return is_cold_; }

 private:
  storage bytes_;
  bool is_cold_ = false;
};

}  // namespace tensorplay
