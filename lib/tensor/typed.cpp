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
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data()) + static_cast<std::uintptr_t>(offset_bytes);
  if (address % alignment != 0) {
    throw std::invalid_argument{"a first element at a multiple of " + std::to_string(alignment) +
                                " bytes was wanted, found offset " + std::to_string(offset_bytes) + ", " +
                                std::to_string(address % alignment) + " bytes behind one"};
  }
}

}  // namespace tensorplay
