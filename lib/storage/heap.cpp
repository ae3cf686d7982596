module;
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

module tensorplay.storage;

namespace tensorplay {
namespace {

constexpr std::int64_t huge_page_bytes{std::int64_t{2} << 20};
constexpr std::int64_t least_huge_bytes = 2 * huge_page_bytes;

/// Large memory begins with a huge page: its first touch costs a quarter of what small pages cost.
std::align_val_t alignment_of(std::int64_t nbytes) {
  return static_cast<std::align_val_t>(nbytes >= least_huge_bytes ? huge_page_bytes : 64);
}

class heap_block final : public block {
 public:
  explicit heap_block(std::int64_t nbytes) : block{access::read_write, false} {
    show(static_cast<std::byte*>(::operator new(static_cast<std::size_t>(nbytes), alignment_of(nbytes))), nbytes);
    // Advice alone: a kernel that has no huge pages refuses it, and nothing is lost.
    const auto whole_pages = nbytes / huge_page_bytes * huge_page_bytes;
    if (nbytes >= least_huge_bytes) ::madvise(data(), static_cast<std::size_t>(whole_pages), MADV_HUGEPAGE);
  }
  ~heap_block() override { ::operator delete(data(), alignment_of(nbytes())); }
};

}  // namespace

storage allocate(std::int64_t nbytes) {
  if (nbytes < 0) {
    throw std::invalid_argument{"allocate: a byte count of zero or more was wanted, found " + std::to_string(nbytes)};
  }
  if (nbytes == 0) return {};
  return storage{std::make_unique<heap_block>(nbytes)};
}

storage allocate_zeroed(std::int64_t nbytes) {
  auto bytes = allocate(nbytes);
  if (nbytes > 0) std::memset(bytes.mutable_data(), 0, static_cast<std::size_t>(nbytes));
  return bytes;
}

}  // namespace tensorplay
