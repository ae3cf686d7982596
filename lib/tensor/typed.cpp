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

storage allocate_elements(std::span<const std::int64_t> shape, std::int64_t itemsize) {
  return allocate(end_in_bytes(numel_of(shape), itemsize));
}

}  // namespace tensorplay
