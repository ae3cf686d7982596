module;
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

constexpr std::align_val_t alignment{64};

class heap_block final : public block {
 public:
  explicit heap_block(std::int64_t nbytes)
      : block{static_cast<std::byte*>(::operator new(static_cast<std::size_t>(nbytes), alignment)), nbytes, access::read_write,
              false} {}
  ~heap_block() override { ::operator delete(data(), alignment); }
};

}  // namespace

storage allocate(std::int64_t nbytes) {
  if (nbytes < 0) {
    throw std::invalid_argument{"allocate: a byte count of zero or more was wanted, found " + std::to_string(nbytes)};
  }
  if (nbytes == 0) return {};
  return storage{std::make_shared<heap_block>(nbytes)};
}

storage allocate_zeroed(std::int64_t nbytes) {
  auto bytes = allocate(nbytes);
  if (nbytes > 0) std::memset(bytes.mutable_data(), 0, static_cast<std::size_t>(nbytes));
  return bytes;
}

}  // namespace tensorplay
