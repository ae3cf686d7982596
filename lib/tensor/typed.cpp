module;
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

module tensorplay.tensor;

import tensorplay.storage;

namespace tensorplay {

void require_elements(const storage& bytes, std::int64_t offset_bytes, std::span<const std::int64_t> shape, std::int64_t itemsize,
                      std::size_t alignment) {
  const auto end = end_in_bytes(numel_of(shape), itemsize, offset_bytes);
  if (end > bytes.nbytes()) {
    throw std::invalid_argument{"a storage of " + std::to_string(end) + " bytes was wanted for the shape " + shape_text(shape) +
                                ", found " + std::to_string(bytes.nbytes()) + " bytes"};
  }
  require_aligned(bytes.data() + offset_bytes, alignment, offset_bytes);
}

void flush_elements(const storage& bytes, const any_view& elements) {
  const auto range = bytes_of(bytes, elements);
  bytes.flush(range.offset_bytes, range.nbytes);
}

void read_elements(const storage& bytes, const any_view& elements, const any_view& destination) {
  if (destination.numel() != elements.numel()) {
    throw std::invalid_argument{"read_checked: a destination of " + std::to_string(elements.numel()) +
                                " elements was wanted, found " + std::to_string(destination.numel())};
  }
  if (elements.numel() == 0) return;
  const auto range = bytes_of(bytes, elements);
  const fault_guard guard{bytes};
  copy_elements(elements, destination.reshape(elements.shape()));
  guard.check(bytes, range.offset_bytes, range.nbytes);
}

storage allocate_elements(std::span<const std::int64_t> shape, std::int64_t itemsize) {
  return allocate(end_in_bytes(numel_of(shape), itemsize));
}

}  // namespace tensorplay
