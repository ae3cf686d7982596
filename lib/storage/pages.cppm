module;
#include <mutex>
#if !defined(__clang__)
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#endif

module tensorplay.storage:pages;

import tensorplay.standard;
import :access;
import :block;
import :descriptor;
import :handle;
import :residency;

namespace tensorplay {

/// The size of the system's pages.
std::int64_t page_bytes() noexcept;

/// A block whose pages show a part of a file: what is known of the file, and what has been lost of it.
class file_pages : public block {
 public:
  bool shows_file() const noexcept final { return true; }

  /// Says which file is mapped, as it is now. Before that, it is taken for stale.
  inline void remember(const file_facts& mapped) noexcept { mapped_ = mapped; }

  /// The same of an open file. There is no way back after a growth: where it cannot be asked, the mapping is taken for stale.
  void remember_now(int file) noexcept;

  /// Asks for huge pages, now that the file is going to get its first ones through this mapping.
  void expect_new_pages() const noexcept;

  const char* native_filename() const noexcept { return filename_; }

  /// The file of that name by now, if it is the mapped one; nothing too where it cannot be looked at.
  std::optional<file_facts> named_file() const noexcept;

  /// A descriptor to ask the mapped file's size with; none where the path names another one.
  ///
  /// Errors    storage_error: the system has no more descriptors.
  descriptor watch() const;

  bool is_stale() const;
  bool is_lost() const noexcept { return first_truncated_ != nowhere || first_unreadable_ != nowhere; }

  /// Errors    storage_error: zeros stand in place of bytes.
  void require_intact(std::string_view operation) const;

  /// Errors    storage_error: zeros stand in place of one of the first end_bytes, or the file ends before they do.
  void require_whole(std::string_view operation, std::int64_t end_bytes, std::optional<file_facts> file) const;

  /// Errors    storage_error: pages that hold these bytes are not there.
  void verify(std::int64_t offset_bytes, std::int64_t nbytes, bool load) const;

  /// Reads the pages that hold these bytes, and maps them; with a kernel that cannot, does nothing.
  ///
  /// Errors    storage_error: they are not there.
  void load(std::int64_t offset_bytes, std::int64_t nbytes) const;

  void sync(std::int64_t offset_bytes, std::int64_t nbytes) const;
  void advise(advice pages) const;
  residency_counts residency(std::int64_t offset_bytes, std::int64_t nbytes) const;
  void evict(std::int64_t offset_bytes, std::int64_t nbytes) const;

  /// Turns the reading of pages beside the touched ones off, and back to what advise() wants.
  void read_ahead(bool on) const noexcept;

  /// Starts to read the pages that hold these bytes.
  void ask_for(std::int64_t offset_bytes, std::int64_t nbytes) const noexcept;

  /// Notes that all of a range is going to be replaced: private pages by memory of their own, shared ones through the file. False where
  /// that was done before.
  bool note_rewrite(std::int64_t offset_bytes, std::int64_t nbytes) const;

  /// The mapped file, opened once more; none where its name is another one's by now, or it cannot be opened.
  descriptor open_again(int flags) const noexcept;

  /// Where the storage begins in the file.
  std::int64_t offset_in_file() const noexcept { return offset_bytes_; }

  /// A descriptor to write the file through, which then is at least end_bytes long behind the storage's begin; none where stores to
  /// the mapping do it better, or are what somebody watches.
  descriptor open_for_writing(std::int64_t end_bytes) const noexcept;

  /// Writes to the file that open_for_writing() has opened; gives how many bytes it took, the rest is to be stored.
  ///
  /// pattern   at least one byte; repeated until there are nbytes.
  /// Errors    storage_error: no space, or the device fails.
  std::int64_t write(int file, std::int64_t offset_bytes, std::span<const std::byte> pattern, std::int64_t nbytes) const;

  /// Counts the guards that have the handler of SIGBUS mend these pages.
  void note_watch(int change) const noexcept { watches_ += change; }

  bool contains(const void* address) const noexcept;

  /// Puts zeros where a page cannot be read, and notes the loss. Called by the handler of SIGBUS.
  ///
  /// file      what watch() gave, or -1.
  bool mend(const void* address, int file) const noexcept;

 protected:
  /// No bytes yet.
  ///
  /// offset_bytes   where they stand in the file.
  /// filename       stays where it is for as long as this object.
  inline file_pages(std::int64_t offset_bytes, access mode, bool shared, const char* filename) noexcept
      : block{mode, shared}, offset_bytes_{offset_bytes}, filename_{filename} {}

 private:
  static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

  struct range {
    std::byte* first;
    std::size_t nbytes;
  };
  range pages_of(std::int64_t offset_bytes, std::int64_t nbytes) const noexcept;
  std::int64_t offset_of(const std::byte* page) const noexcept { return page < data() ? 0 : page - data(); }
  std::byte* first_absent_page(std::string_view operation, range searched) const;
  [[noreturn]] void throw_absent(std::string_view operation, range searched) const;
  [[noreturn]] void throw_truncated(std::string_view operation, std::int64_t found_bytes) const;
  [[noreturn]] void throw_unreadable(std::string_view operation, std::int64_t offset) const;

  std::int64_t offset_bytes_;
  const char* filename_;
  file_facts mapped_{};
  // Offsets in the storage. Only these change after construction, by the handler too.
  mutable std::atomic<std::int64_t> first_truncated_{nowhere};
  mutable std::atomic<std::int64_t> first_unreadable_{nowhere};
  mutable std::atomic<int> retries_{0};
  mutable std::atomic<int> watches_{0};
  mutable std::atomic<advice> advice_{advice::normal};  // the last one that lasts
  mutable std::mutex rewrite_lock_;
  mutable std::int64_t rewritten_first_ = 0;  // one range is noted; others that lie apart from it are forgotten
  mutable std::int64_t rewritten_end_ = 0;
};

inline const file_pages* pages_behind(const storage& bytes) noexcept {
  const auto* behind = block_of(bytes);
  return behind != nullptr && behind->shows_file() ? static_cast<const file_pages*>(behind) : nullptr;
}

}  // namespace tensorplay
