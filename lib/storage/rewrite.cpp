module;
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

module tensorplay.storage;

import :descriptor;
import :pages;

namespace tensorplay {
namespace {

constexpr std::int64_t huge_page_bytes{std::int64_t{2} << 20};
constexpr std::int64_t least_bytes = 2 * huge_page_bytes;  // below, fresh memory gains nothing
constexpr std::int64_t least_piece_bytes = 8 * huge_page_bytes;
constexpr std::int64_t most_pieces = 256;  // each is a mapping of its own, and a process may have 65530

std::int64_t behind_multiple(const std::byte* address, std::int64_t unit) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(unit));
}

}  // namespace

private_rewrite::private_rewrite(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes)
    : bytes_{bytes}, at_{bytes.mutable_data()}, remaining_{nbytes}, replaces_{false} {
  require_range(bytes, offset_bytes, nbytes);
  if (nbytes == 0) return;
  at_ += offset_bytes;
  const auto* pages = pages_behind(bytes);
  replaces_ = pages != nullptr && pages->mode() == access::copy_on_write && nbytes >= least_bytes &&
              pages->note_rewrite(offset_bytes, nbytes);
}

private_rewrite::~private_rewrite() { give_back(); }

bool private_rewrite::next() {
  if (remaining_ == 0) return false;
  const auto piece_bytes = std::max(least_piece_bytes, remaining_ / most_pieces / huge_page_bytes * huge_page_bytes);
  // Up to a page's begin, and from the last one on, the bytes share their page with others.
  const auto before = behind_multiple(at_, page_bytes());
  const auto whole = remaining_ / page_bytes() * page_bytes();
  from_ = to_ = at_;
  if (!replaces_ || whole == 0) {
    nbytes_ = remaining_;
  } else if (before != 0) {
    nbytes_ = std::min(remaining_, page_bytes() - before);
  } else {
    nbytes_ = std::min(whole, piece_bytes - behind_multiple(at_, huge_page_bytes));
    if (!take_fresh_memory(nbytes_)) {
      replaces_ = false;
      nbytes_ = remaining_;
    }
  }
  at_ += nbytes_;
  remaining_ -= nbytes_;
  return true;
}

/// Fresh memory stands to the huge pages as the bytes do: what fills one keeps it when it is moved.
bool private_rewrite::take_fresh_memory(std::int64_t nbytes) noexcept {
  const auto size = nbytes + huge_page_bytes;
  auto* mapped =
      ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return false;
  fresh_ = static_cast<std::byte*>(mapped);
  fresh_bytes_ = size;
  const auto wanted = behind_multiple(at_, huge_page_bytes);
  const auto found = behind_multiple(fresh_, huge_page_bytes);
  to_ = fresh_ + (wanted - found + huge_page_bytes) % huge_page_bytes;
  ::madvise(fresh_, static_cast<std::size_t>(size), MADV_HUGEPAGE);
  return true;
}

void private_rewrite::place() {
  if (fresh_ == nullptr) return;
  const auto size = static_cast<std::size_t>(nbytes_);
  auto* place = const_cast<std::byte*>(from_);
  if (::mremap(to_, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) {
    // What stood there may be gone already.
    const auto* zeros =
        ::mmap(place, size, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED) throw std::bad_alloc{};
    std::memcpy(place, to_, size);
    return give_back();
  }
  // What was moved away is no longer ours to unmap: another thread may have mapped something there.
  const auto before = to_ - fresh_;
  const auto behind = fresh_bytes_ - before - nbytes_;
  if (before > 0) ::munmap(fresh_, static_cast<std::size_t>(before));
  if (behind > 0) ::munmap(to_ + nbytes_, static_cast<std::size_t>(behind));
  fresh_ = nullptr;
}

void private_rewrite::give_back() noexcept {
  if (fresh_ != nullptr) ::munmap(fresh_, static_cast<std::size_t>(fresh_bytes_));
  fresh_ = nullptr;
}

shared_rewrite::shared_rewrite(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes)
    : bytes_{bytes}, at_{offset_bytes}, end_{offset_bytes + nbytes} {
  constexpr std::int64_t least_file_bytes{std::int64_t{256} << 10};  // below, to open the file costs more than the faults
  require_range(bytes, offset_bytes, nbytes);
  static_cast<void>(bytes.mutable_data());
  const auto* pages = pages_behind(bytes);
  if (pages != nullptr && pages->mode() == access::read_write && nbytes >= least_file_bytes &&
      pages->note_rewrite(offset_bytes, nbytes)) {
    file_ = pages->open_for_writing(end_).release();
  }
}

shared_rewrite::~shared_rewrite() { descriptor{file_}; }

void shared_rewrite::write(std::span<const std::byte> next) {
  if (!next.empty()) write_repeated(next, std::ssize(next));
}

void shared_rewrite::write_repeated(std::span<const std::byte> pattern, std::int64_t nbytes) {
  if (pattern.empty()) throw std::invalid_argument{"shared_rewrite: a pattern was wanted, found no bytes"};
  if (nbytes < 0 || nbytes > end_ - at_) {
    throw std::invalid_argument{"shared_rewrite: 0 to " + std::to_string(end_ - at_) + " bytes were wanted, found " +
                                std::to_string(nbytes)};
  }
  auto* const place = bytes_.mutable_data() + at_;
  auto done = file_ != -1 ? pages_behind(bytes_)->write(file_, at_, pattern, nbytes) : 0;
  while (done < nbytes) {
    const auto from = done % std::ssize(pattern);
    const auto count = std::min(std::ssize(pattern) - from, nbytes - done);
    std::memcpy(place + done, pattern.data() + from, static_cast<std::size_t>(count));
    done += count;
  }
  at_ += nbytes;
}

}  // namespace tensorplay
