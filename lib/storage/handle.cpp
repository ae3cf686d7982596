module;
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>

module tensorplay.storage;

namespace tensorplay {

void storage::throw_read_only() {
  throw std::invalid_argument{"storage: bytes for stores were wanted, the storage is read-only"};
}

access storage::access() const noexcept { return block_ ? block_->mode() : access::read_write; }

std::filesystem::path storage::filename() const { return block_ ? block_->filename() : std::filesystem::path{}; }

bool storage::is_shared() const noexcept { return block_ && block_->is_shared(); }

void storage::flush() const {
  if (block_) block_->flush();
}

void storage::advise(advice pages) const {
  if (block_) block_->advise(pages);
}

}  // namespace tensorplay
