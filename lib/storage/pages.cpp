module;
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <boost/interprocess/mapped_region.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

module tensorplay.storage;

import :descriptor;
import :pages;

namespace tensorplay {
namespace {

#if !defined(MADV_POPULATE_READ)
constexpr int MADV_POPULATE_READ = 22;  // Linux 5.14
#endif

/// Keeps the lowest offset.
void lower(std::atomic<std::int64_t>& lowest, std::int64_t offset) noexcept {
  auto known = lowest.load();
  while (offset < known && !lowest.compare_exchange_weak(known, offset)) {
  }
}

int native_word_for(advice pages) {
  switch (pages) {
    case advice::normal: return MADV_NORMAL;
    case advice::sequential: return MADV_SEQUENTIAL;
    case advice::random: return MADV_RANDOM;
    case advice::will_need: return MADV_WILLNEED;
    case advice::dont_need: return MADV_DONTNEED;
  }
  return MADV_NORMAL;
}

/// Whether what write(2) writes to a file is what its mappings show at once: network file systems and FUSE do as they like.
bool shows_writes_in_mappings(const struct ::statfs& system) {
  switch (static_cast<unsigned long>(system.f_type)) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:  // whose file has been copied up, for it is mapped for stores
    case TMPFS_MAGIC: return true;
    default: return false;
  }
}

bool map_zeros(std::byte* first, std::size_t nbytes, int protection) noexcept {
  constexpr int flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  // Not through mmap: ThreadSanitizer stands before it, and takes the change of a page for a store that races with its readers.
  return ::syscall(SYS_mmap, first, nbytes, protection, flags, -1, 0L) != -1;
}

enum class presence { present, absent, unknown };

/// Whether pages can be read. They are loaded, in pieces, so that signals are served meanwhile.
presence load_pages(std::byte* first, std::size_t nbytes, std::string_view operation, const std::filesystem::path& filename) {
  constexpr std::size_t most_at_once{std::size_t{32} << 20};
  while (nbytes > 0) {
    const auto count = std::min(nbytes, most_at_once);
    if (retry([&] { return ::madvise(first, count, MADV_POPULATE_READ); }) != 0) {
      if (errno == EFAULT || errno == EHWPOISON) return presence::absent;
      if (errno == EINVAL) return presence::unknown;
      throw_errno(operation, filename);
    }
    first += count;
    nbytes -= count;
  }
  return presence::present;
}

/// Bytes for a system call that repeat a pattern: as many as were asked for, or as fit.
struct repeated_bytes {
  std::array<::iovec, 256> parts;  // a file written in large pieces gets large pages in memory
  int count = 0;

  /// first     how many bytes of the repeated pattern stand before them.
  repeated_bytes(std::span<const std::byte> pattern, std::int64_t first, std::int64_t nbytes) noexcept {
    auto left = static_cast<std::size_t>(nbytes);
    for (auto from = static_cast<std::size_t>(first) % pattern.size(); left > 0 && count < std::ssize(parts); from = 0) {
      const auto length = std::min(left, pattern.size() - from);
      parts[count++] = {const_cast<std::byte*>(pattern.data()) + from, length};
      left -= length;
    }
  }
};

}  // namespace

std::int64_t page_bytes() noexcept {
  return static_cast<std::int64_t>(boost::interprocess::mapped_region::get_page_size());  // the handler too may ask for it
}

void file_pages::remember_now(int file) noexcept {
  struct ::stat status{};
  if (::fstat(file, &status) == 0) remember(facts_of(status));
}

void file_pages::expect_new_pages() const noexcept {
  constexpr std::int64_t huge_page_bytes{std::int64_t{2} << 20};
  const auto all = pages_of(0, nbytes());
  if (nbytes() >= huge_page_bytes) ::madvise(all.first, all.nbytes, MADV_HUGEPAGE);  // advice alone
}

file_pages::range file_pages::pages_of(std::int64_t offset_bytes, std::int64_t nbytes) const noexcept {
  auto* first = data() + offset_bytes;
  const auto before =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(page_bytes()));
  const auto pages = (before + nbytes + page_bytes() - 1) / page_bytes();
  return {first - before, static_cast<std::size_t>(pages * page_bytes())};
}

std::optional<file_facts> file_pages::named_file() const noexcept {
  struct ::stat status{};
  if (::stat(filename_, &status) != 0) return std::nullopt;
  const auto found = facts_of(status);
  return found.same_file_as(mapped_) ? std::optional{found} : std::nullopt;
}

descriptor file_pages::watch() const {
  descriptor opened{retry([&] { return ::open(filename_, O_PATH | O_CLOEXEC); })};
  if (opened.number() == -1) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) throw_errno("guard", filename_);
    return {};
  }
  struct ::stat status{};
  const bool is_same = ::fstat(opened.number(), &status) == 0 && facts_of(status).same_file_as(mapped_);
  return is_same ? std::move(opened) : descriptor{};
}

bool file_pages::is_stale() const {
  const auto found = look_at(filename_);
  return !found || !found->same_file_as(mapped_) || found->nbytes != mapped_.nbytes || !found->same_time_as(mapped_);
}

void file_pages::require_intact(std::string_view operation) const { require_whole(operation, nbytes(), std::nullopt); }

void file_pages::require_whole(std::string_view operation, std::int64_t end_bytes, std::optional<file_facts> file) const {
  const auto truncated = first_truncated_.load();
  const auto unreadable = first_unreadable_.load();
  const auto found = std::min(file ? file->nbytes : nowhere, truncated == nowhere ? nowhere : offset_bytes_ + truncated);
  if (found < offset_bytes_ + end_bytes) throw_truncated(operation, found);
  if (unreadable < end_bytes) throw_unreadable(operation, unreadable);
}

void file_pages::throw_truncated(std::string_view operation, std::int64_t found_bytes) const {
  throw storage_error{storage_errc::truncated,  operation,   filename_,
                      offset_bytes_ + nbytes(), found_bytes, std::max<std::int64_t>(found_bytes - offset_bytes_, 0)};
}

void file_pages::throw_unreadable(std::string_view operation, std::int64_t offset) const {
  throw storage_error{system_error_code(EIO), operation, filename_, offset_bytes_ + nbytes(), offset_bytes_ + offset, offset};
}

void file_pages::verify(std::int64_t offset_bytes, std::int64_t nbytes, bool load) const {
  require_whole("verify", offset_bytes + nbytes, named_file());
  const auto all = pages_of(offset_bytes, nbytes);
  // A file loses its last pages first: where the last one is there, all are.
  const auto page = static_cast<std::size_t>(page_bytes());
  const auto searched = load ? all : range{all.first + (all.nbytes - page), page};
  switch (load_pages(searched.first, searched.nbytes, "verify", filename_)) {
    case presence::present: return;
    case presence::absent: throw_absent("verify", all);
    case presence::unknown: break;  // sizes have been compared, if the path still names the file
  }
  if (!named_file()) throw storage_error{system_error_code(EOPNOTSUPP), "verify", filename_};
}

std::byte* file_pages::first_absent_page(std::string_view operation, range searched) const {
  auto* first = searched.first;
  auto pages = searched.nbytes / static_cast<std::size_t>(page_bytes());
  while (pages > 1) {
    const auto half = pages / 2;
    const auto half_bytes = half * static_cast<std::size_t>(page_bytes());
    if (load_pages(first, half_bytes, operation, filename_) == presence::absent) {
      pages = half;
    } else {
      first += half_bytes;
      pages -= half;
    }
  }
  return first;
}

void file_pages::throw_absent(std::string_view operation, range searched) const {
  const auto offset = offset_of(first_absent_page(operation, searched));
  const auto page = static_cast<std::size_t>(page_bytes());
  const auto file = named_file();
  const auto last = range{searched.first + (searched.nbytes - page), page};
  const bool is_truncated = file ? file->nbytes <= offset_bytes_ + offset
                                 : load_pages(last.first, last.nbytes, operation, filename_) == presence::absent;
  if (!is_truncated) throw_unreadable(operation, offset);
  throw_truncated(operation, file ? file->nbytes : offset_bytes_ + offset);
}

void file_pages::load(std::int64_t offset_bytes, std::int64_t nbytes) const {
  const auto pages = pages_of(offset_bytes, nbytes);
  if (load_pages(pages.first, pages.nbytes, "prefetch", filename_) == presence::absent) throw_absent("prefetch", pages);
}

void file_pages::sync(std::int64_t offset_bytes, std::int64_t nbytes) const {
  if (nbytes == 0) return;
  const auto pages = pages_of(offset_bytes, nbytes);
  if (retry([&] { return ::msync(pages.first, pages.nbytes, MS_SYNC); }) != 0) throw_errno("flush", filename_);
}

void file_pages::advise(advice pages) const {
  require_intact("advise");
  if (pages == advice::dont_need && mode() == access::copy_on_write) return;  // its stores are nowhere else
  // Not through Boost: its posix_madvise ignores dont_need and leaves errno alone.
  const auto all = pages_of(0, nbytes());
  if (::madvise(all.first, all.nbytes, native_word_for(pages)) != 0) throw_errno("advise", filename_);
  if (pages == advice::normal || pages == advice::sequential || pages == advice::random) advice_.store(pages);
}

residency_counts file_pages::residency(std::int64_t offset_bytes, std::int64_t nbytes) const {
  constexpr std::size_t most_at_once = 4096;
  const auto all = pages_of(offset_bytes, nbytes);
  const auto page = static_cast<std::size_t>(page_bytes());
  residency_counts counts{static_cast<std::int64_t>(all.nbytes / page), 0};
  unsigned char in_core[most_at_once];
  for (std::size_t done = 0; done < all.nbytes; done += most_at_once * page) {
    const auto count = std::min(all.nbytes - done, most_at_once * page);
    if (::mincore(all.first + done, count, in_core) != 0) throw_errno("look at", filename_);
    counts.resident_pages += std::count_if(in_core, in_core + count / page, [](auto state) { return (state & 1) != 0; });
  }
  return counts;
}

void file_pages::evict(std::int64_t offset_bytes, std::int64_t nbytes) const {
  const auto all = pages_of(offset_bytes, nbytes);
  if (retry([&] { return ::madvise(all.first, all.nbytes, MADV_PAGEOUT); }) != 0) throw_errno("evict", filename_);
}

void file_pages::read_ahead(bool on) const noexcept {
  const auto all = pages_of(0, nbytes());
  ::madvise(all.first, all.nbytes, on ? native_word_for(advice_.load()) : MADV_RANDOM);
}

void file_pages::ask_for(std::int64_t offset_bytes, std::int64_t nbytes) const noexcept {
  const auto all = pages_of(offset_bytes, nbytes);
  ::madvise(all.first, all.nbytes, MADV_WILLNEED);
}

bool file_pages::note_rewrite(std::int64_t offset_bytes, std::int64_t nbytes) const {
  const std::lock_guard locked{rewrite_lock_};
  const auto end = offset_bytes + nbytes;
  if (offset_bytes >= rewritten_first_ && end <= rewritten_end_) return false;
  const bool is_apart = offset_bytes > rewritten_end_ || end < rewritten_first_;
  rewritten_first_ = is_apart ? offset_bytes : std::min(offset_bytes, rewritten_first_);
  rewritten_end_ = is_apart ? end : std::max(end, rewritten_end_);
  return true;
}

descriptor file_pages::open_again(int flags) const noexcept {
  descriptor opened{retry([&] { return ::open(filename_, flags | O_NONBLOCK | O_CLOEXEC); })};
  struct ::stat status{};
  const bool is_same = opened.number() != -1 && ::fstat(opened.number(), &status) == 0 && facts_of(status).same_file_as(mapped_);
  return is_same ? std::move(opened) : descriptor{};
}

descriptor file_pages::open_for_writing(std::int64_t end_bytes) const noexcept {
  struct ::rlimit limit{};
  const auto end = static_cast<std::uint64_t>(offset_bytes_ + end_bytes);
  // A write beyond the limit is a signal, a store is not.
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || end > limit.rlim_cur) return {};
  auto opened = open_again(O_WRONLY);
  struct ::statfs system{};
  const bool shows = opened.number() != -1 && ::fstatfs(opened.number(), &system) == 0 && shows_writes_in_mappings(system);
  return shows ? std::move(opened) : descriptor{};
}

std::int64_t file_pages::write(int file, std::int64_t offset_bytes, std::span<const std::byte> pattern,
                               std::int64_t nbytes) const {
  constexpr std::int64_t most_at_once{std::int64_t{4} << 20};
  std::int64_t written = 0;
  while (written < nbytes) {
    // Who truncates the file does not want it longer, and who watches it wants to hear of what is lost: a store tells.
    struct ::stat status{};
    const auto end = offset_bytes_ + offset_bytes + nbytes;
    if (::fstat(file, &status) != 0 || status.st_size < end || watches_ > 0 || is_lost()) break;
    const repeated_bytes next{pattern, written, std::min(nbytes - written, most_at_once)};
    const auto taken =
        retry([&] { return ::pwritev(file, next.parts.data(), next.count, offset_bytes_ + offset_bytes + written); });
    if (taken < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO)) throw_errno("write", filename_);
    if (taken <= 0) break;
    written += taken;
  }
  return written;
}

bool file_pages::contains(const void* address) const noexcept {
  const auto pages = pages_of(0, nbytes());
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto first = reinterpret_cast<std::uintptr_t>(pages.first);
  return at >= first && at - first < pages.nbytes;
}

bool file_pages::mend(const void* address, int file) const noexcept {
  constexpr int most_retries = 16;
  const auto all = pages_of(0, nbytes());
  const auto behind = static_cast<const std::byte*>(address) - all.first;
  auto* page = all.first + behind / page_bytes() * page_bytes();
  const auto offset = offset_of(page);
  const int protection = mode() == access::read_only ? PROT_READ : PROT_READ | PROT_WRITE;

  struct ::stat status{};
  if (file != -1 && ::fstat(file, &status) == 0 && status.st_size > offset_bytes_ + offset) {
    // The file has the page. It was extended again meanwhile, or else its disk is full or its device fails.
    if (retries_.fetch_add(1) < most_retries) return true;
    lower(first_unreadable_, offset);
    return map_zeros(page, static_cast<std::size_t>(page_bytes()), protection);
  }
  // What lies behind is gone as well; all at once, for a process may have only so many mappings.
  lower(first_truncated_, offset);
  return map_zeros(page, all.nbytes - static_cast<std::size_t>(page - all.first), protection) ||
         map_zeros(page, static_cast<std::size_t>(page_bytes()), protection);
}

}  // namespace tensorplay
