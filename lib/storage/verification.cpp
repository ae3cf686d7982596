module;
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

module tensorplay.storage;

import :pages;

namespace tensorplay {

void require_range(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes) {
  if (offset_bytes < 0 || nbytes < 0 || offset_bytes > bytes.nbytes() || nbytes > bytes.nbytes() - offset_bytes) {
    throw std::invalid_argument{"a range within the storage's " + std::to_string(bytes.nbytes()) + " bytes was wanted, found " +
                                std::to_string(nbytes) + " bytes at offset " + std::to_string(offset_bytes)};
  }
}

void verify(const storage& bytes, verify_options options) { verify(bytes, 0, bytes.nbytes(), options); }

void verify(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes, verify_options options) {
  require_range(bytes, offset_bytes, nbytes);
  const auto* pages = pages_behind(bytes);
  if (pages != nullptr && nbytes > 0) pages->verify(offset_bytes, nbytes, options.load);
}

void read_checked(const storage& bytes, std::int64_t offset_bytes, std::span<std::byte> to) {
  require_range(bytes, offset_bytes, static_cast<std::int64_t>(to.size()));
  if (to.empty()) return;
  const fault_guard guard{bytes};
  std::memcpy(to.data(), bytes.data() + offset_bytes, to.size());
  guard.check(bytes, offset_bytes, static_cast<std::int64_t>(to.size()));
}

}  // namespace tensorplay
