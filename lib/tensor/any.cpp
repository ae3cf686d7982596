module;
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

module tensorplay.tensor;

import tensorplay.storage;

namespace tensorplay {
namespace {

dims row_major_strides(const dims& shape) {
  dims strides = shape;
  std::int64_t step = 1;
  for (std::size_t dimension = shape.size(); dimension-- > 0; step *= shape[dimension]) strides[dimension] = step;
  return strides;
}

std::size_t alignment_of(dtype type) {
  return dispatch(type, []<class T>() { return alignof(T); });
}

}  // namespace

any_tensor::any_tensor(tensorplay::storage bytes, tensorplay::dtype type, const dims& shape, std::int64_t offset_bytes)
    : dtype_{type}, writable_{bytes.access() != access::read_only}, shape_{shape}, strides_{} {
  require_elements(bytes, offset_bytes, shape, itemsize(type), alignment_of(type));
  strides_ = row_major_strides(shape);
  first_ = bytes.data() + offset_bytes;
  storage_ = std::move(bytes);
}

std::int64_t any_tensor::numel() const noexcept {
  std::int64_t count = 1;
  for (const auto extent : shape_) count *= extent;
  return count;
}

std::int64_t any_tensor::nbytes() const noexcept { return numel() * itemsize(dtype_); }

void any_tensor::tofile(const std::filesystem::path& filename) const {
  save_elements(filename, first_, itemsize(dtype_), shape_, strides_);
}

any_tensor any_tensor::reshape(dims shape) const {
  if (!is_contiguous()) throw_not_contiguous("reshape", shape_, strides_);
  resolve_shape(shape, numel());
  auto other = *this;
  other.strides_ = row_major_strides(shape);
  other.shape_ = shape;
  return other;
}

void any_tensor::swap(any_tensor& other) noexcept {
  std::swap(storage_, other.storage_);
  std::swap(first_, other.first_);
  std::swap(dtype_, other.dtype_);
  std::swap(writable_, other.writable_);
  std::swap(shape_, other.shape_);
  std::swap(strides_, other.strides_);
}

void any_tensor::require_typed(tensorplay::dtype type, std::size_t rank, bool writable) const {
  if (type != dtype_) {
    throw std::invalid_argument{"elements of " + std::string{name(type)} + " were wanted, found " + std::string{name(dtype_)}};
  }
  if (rank != shape_.size()) {
    throw std::invalid_argument{"a tensor of rank " + std::to_string(rank) + " was wanted, found the shape " +
                                shape_text(shape_)};
  }
  if (writable && !writable_) {
    throw std::invalid_argument{"a writable tensor was wanted, found a read-only one; ask for as<const T>()"};
  }
}

}  // namespace tensorplay
