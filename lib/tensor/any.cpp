module;
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

module tensorplay.tensor;

import tensorplay.storage;

namespace tensorplay {
namespace {

any_view row_major_view(const storage& bytes, dtype type, const dims& shape, std::int64_t offset_bytes) {
  const auto alignment = dispatch(type, []<class T>() { return alignof(T); });
  require_elements(bytes, offset_bytes, shape, itemsize(type), alignment);
  const bool writable = bytes.access() != access::read_only;
  return {
      const_cast<std::byte*>(bytes.data() + offset_bytes), type, encoding::native, writable, shape, contiguous_strides(shape)};
}

any_tensor copy_as(const any_view& elements, dtype type) {
  const any_tensor copy{allocate_elements(elements.shape(), itemsize(type)), type, elements.shape()};
  if (elements.numel() > 0) copy_elements(elements, copy);
  return copy;
}

}  // namespace

any_tensor::any_tensor(tensorplay::storage bytes, tensorplay::dtype type, const dims& shape, std::int64_t offset_bytes)
    : any_view{row_major_view(bytes, type, shape, offset_bytes)}, storage_{std::move(bytes)} {}

any_tensor::any_tensor(const tensorplay::storage& bytes, const any_view& same, std::size_t rank)
    : any_view{same, rank}, storage_{bytes} {}

any_tensor::any_tensor(const tensorplay::storage& bytes, const any_view& same, used_dims) noexcept
    : any_view{same, used_dims{}}, storage_{bytes} {}

void verify(const any_tensor& elements, verify_options options) {
  const auto range = bytes_of(elements.storage(), elements);
  verify(elements.storage(), range.offset_bytes, range.nbytes, options);
}

residency_counts residency(const any_tensor& elements) {
  const auto range = bytes_of(elements.storage(), elements);
  return residency(elements.storage(), range.offset_bytes, range.nbytes);
}

void evict(const any_tensor& elements) {
  const auto range = bytes_of(elements.storage(), elements);
  evict(elements.storage(), range.offset_bytes, range.nbytes);
}

prefetching prefetch(const any_tensor& elements) {
  const auto range = bytes_of(elements.storage(), elements);
  return prefetch(elements.storage(), range.offset_bytes, range.nbytes);
}

any_tensor any_tensor::reshape(const dims& shape) const {
  any_tensor other{storage_, *this, shape.size()};
  other.reshape_from(*this, shape);
  return other;
}

any_tensor any_tensor::slice(std::int64_t dimension, std::int64_t start, std::int64_t stop, std::int64_t step) const {
  any_tensor other{storage_, *this, used_dims{}};
  other.become_slice(dimension, start, stop, step);
  return other;
}

any_tensor any_tensor::select(std::int64_t dimension, std::int64_t index) const {
  any_tensor other{storage_, *this, used_dims{}};
  other.become_selected(dimension, index);
  return other;
}

any_tensor any_tensor::narrow(std::int64_t dimension, std::int64_t start, std::int64_t length) const {
  any_tensor other{storage_, *this, used_dims{}};
  other.become_narrow(dimension, start, length);
  return other;
}

any_tensor any_tensor::clone() const {
  storage_.require_intact("copy");
  return copy_as(*this, dtype());
}

any_tensor any_tensor::contiguous() const { return is_plain(*this) ? *this : clone(); }

any_tensor any_tensor::to(tensorplay::dtype type) const {
  if (type == dtype() && is_plain(*this)) return *this;
  storage_.require_intact("copy");
  return copy_as(*this, type);
}

const any_tensor& any_tensor::copy_(const any_view& source) const {
  copy_elements(source, *this, &storage_);
  return *this;
}

const any_tensor& any_tensor::fill_(const scalar& value) const {
  fill_elements(*this, value, &storage_);
  return *this;
}

void any_tensor::swap(any_tensor& other) noexcept {
  std::swap(storage_, other.storage_);
  std::swap(static_cast<any_view&>(*this), static_cast<any_view&>(other));
}

void any_tensor::require_typed(tensorplay::dtype type, tensorplay::encoding bytes, std::size_t rank, bool writable) const {
  if (type != dtype()) {
    throw std::invalid_argument{"elements of " + std::string{name(type)} + " were wanted, found " + std::string{name(dtype())}};
  }
  if (bytes != encoding()) {
    const auto text = [](tensorplay::encoding of) { return of == encoding::native ? "native" : "packed"; };
    throw std::invalid_argument{std::string{text(bytes)} + " elements were wanted, found " + text(encoding()) +
                                " ones of another byte order or alignment; contiguous() makes native ones"};
  }
  if (rank != shape().size()) {
    throw std::invalid_argument{"a tensor of rank " + std::to_string(rank) + " was wanted, found the shape " +
                                shape_text(shape())};
  }
  if (writable && !is_writable()) {
    throw std::invalid_argument{"a writable tensor was wanted, found a read-only one; ask for as<const T>()"};
  }
}

}  // namespace tensorplay
