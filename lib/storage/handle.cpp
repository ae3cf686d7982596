module;
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string_view>

module tensorplay.storage;

import :pages;

namespace tensorplay {

#if __has_include(<sys/single_threaded.h>)
constinit const char* const block::single_threaded_ = &__libc_single_threaded;
#else
namespace {
constexpr char unknown{0};
}
constinit const char* const block::single_threaded_ = &unknown;
#endif

const block* block_of(const storage& bytes) noexcept { return bytes.block_; }

void storage::throw_read_only() {
  throw std::invalid_argument{"storage: bytes for stores were wanted, the storage is read-only"};
}

access storage::access() const noexcept { return block_ ? block_->mode() : access::read_write; }

std::filesystem::path storage::filename() const {
  const auto* file = pages_behind(*this);
  return file != nullptr ? std::filesystem::path{file->native_filename()} : std::filesystem::path{};
}

bool storage::is_shared() const noexcept { return block_ && block_->is_shared(); }

void storage::flush() const { flush(0, nbytes()); }

void storage::flush(std::int64_t offset_bytes, std::int64_t nbytes) const {
  require_range(*this, offset_bytes, nbytes);
  const auto* file = pages_behind(*this);
  if (file == nullptr) return;
  file->require_intact("flush");
  if (file->mode() == access::read_write) file->sync(offset_bytes, nbytes);
}

void storage::advise(advice pages) const {
  if (const auto* file = pages_behind(*this)) file->advise(pages);
}

bool storage::is_stale() const {
  const auto* file = pages_behind(*this);
  return file != nullptr && file->is_stale();
}

bool storage::is_lost() const noexcept {
  const auto* file = pages_behind(*this);
  return file != nullptr && file->is_lost();
}

void storage::require_intact(std::string_view operation) const {
  if (const auto* file = pages_behind(*this)) file->require_intact(operation);
}

}  // namespace tensorplay
