module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

module tensorplay.storage;

import :pages;

namespace tensorplay {

residency_counts residency(const storage& bytes) { return residency(bytes, 0, bytes.nbytes()); }

residency_counts residency(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes) {
  require_range(bytes, offset_bytes, nbytes);
  const auto* file = pages_behind(bytes);
  return file != nullptr && nbytes > 0 ? file->residency(offset_bytes, nbytes) : residency_counts{};
}

void evict(const storage& bytes) { evict(bytes, 0, bytes.nbytes()); }

void evict(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes) {
  bytes.flush(offset_bytes, nbytes);
  const auto* file = pages_behind(bytes);
  if (file != nullptr && nbytes > 0) file->evict(offset_bytes, nbytes);
}

scattered_read::scattered_read(const storage& bytes, std::span<const std::int64_t> offset_bytes, std::int64_t nbytes)
    : bytes_{bytes} {
  for (const auto offset : offset_bytes) require_range(bytes, offset, nbytes);
  const auto* file = pages_behind(bytes);
  if (file == nullptr || nbytes == 0 || offset_bytes.empty()) return;
  constexpr std::size_t most_samples = 16;
  const auto step = std::max<std::size_t>(offset_bytes.size() / most_samples, 1);
  for (std::size_t at = 0; at < offset_bytes.size() && !is_cold_; at += step) {
    const auto found = file->residency(offset_bytes[at], nbytes);
    is_cold_ = found.resident_pages < found.pages;
  }
  if (!is_cold_) return;
  file->read_ahead(false);
  for (const auto offset : offset_bytes) file->ask_for(offset, nbytes);
}

scattered_read::~scattered_read() {
  if (is_cold_) pages_behind(bytes_)->read_ahead(true);
}

}  // namespace tensorplay
