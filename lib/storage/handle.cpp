module;
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>

module tensorplay.storage;

namespace tensorplay {

const std::byte* storage::data() const noexcept { return block_ ? block_->data() : nullptr; }

std::byte* storage::mutable_data() const {
  if (access() == access::read_only) {
    throw std::invalid_argument{"storage: bytes for stores were wanted, the storage is read-only"};
  }
  return block_ ? block_->data() : nullptr;
}

std::int64_t storage::nbytes() const noexcept { return block_ ? block_->nbytes() : 0; }

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
