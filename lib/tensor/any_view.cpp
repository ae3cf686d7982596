module;
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

module tensorplay.tensor;

import tensorplay.storage;

namespace tensorplay {
namespace {

extents values(dims& of) { return {of.data(), of.size()}; }

std::size_t alignment_of(dtype type) {
  return dispatch(type, []<class T>() { return alignof(T); });
}

}  // namespace

static_assert(std::is_trivially_copyable_v<any_view>);

std::int64_t any_view::numel() const noexcept {
  std::int64_t count = first_ != nullptr || !shape_.empty() ? 1 : 0;
  for (const auto extent : shape_) count *= extent;
  return count;
}

std::int64_t any_view::nbytes() const noexcept { return numel() * itemsize(dtype_); }

std::byte* any_view::mutable_data() const {
  if (!writable_) throw std::invalid_argument{"writable elements were wanted, found read-only ones"};
  return first_;
}

void any_view::skip(std::int64_t elements) noexcept {
  if (first_ != nullptr) first_ += elements * itemsize(dtype_);
}

any_view::any_view(const any_view& same, std::size_t rank)
    : first_{same.first_},
      dtype_{same.dtype_},
      encoding_{same.encoding_},
      writable_{same.writable_},
      shape_{dims::of_rank(rank)},
      strides_{dims::of_rank(rank)} {}

any_view::any_view(const any_view& same, used_dims) noexcept
    : first_{same.first_},
      dtype_{same.dtype_},
      encoding_{same.encoding_},
      writable_{same.writable_},
      shape_{const_extents{same.shape_}},
      strides_{const_extents{same.strides_}} {}

void any_view::reshape_from(const any_view& other, const dims& shape) {
  if (other.is_contiguous() && reshape_row_major(other.numel(), shape, values(shape_), values(strides_))) return;
  shape_ = shape;
  reshape_strides(other.shape_, other.strides_, values(shape_), values(strides_));
}

void any_view::become_slice(std::int64_t dimension, std::int64_t start, std::int64_t stop, std::int64_t step) {
  skip(slice_strides(values(shape_), values(strides_), dimension, start, stop, step));
}

void any_view::become_selected(std::int64_t dimension, std::int64_t index) {
  const auto at = resolve_dimension(dimension, shape_);
  skip(resolve_index(index, at, shape_) * strides_[at]);
  shape_.erase(at);
  strides_.erase(at);
}

void any_view::become_narrow(std::int64_t dimension, std::int64_t start, std::int64_t length) {
  skip(narrow_strides(values(shape_), values(strides_), dimension, start, length));
}

any_view any_view::reshape(const dims& shape) const {
  any_view other{*this, shape.size()};
  other.reshape_from(*this, shape);
  return other;
}

any_view any_view::flatten() const { return reshape({numel()}); }

any_view any_view::slice(std::int64_t dimension, std::int64_t start, std::int64_t stop, std::int64_t step) const {
  any_view other{*this, used_dims{}};
  other.become_slice(dimension, start, stop, step);
  return other;
}

any_view any_view::select(std::int64_t dimension, std::int64_t index) const {
  any_view other{*this, used_dims{}};
  other.become_selected(dimension, index);
  return other;
}

any_view any_view::narrow(std::int64_t dimension, std::int64_t start, std::int64_t length) const {
  any_view other{*this, used_dims{}};
  other.become_narrow(dimension, start, length);
  return other;
}

any_view any_view::permute(dims order) const {
  auto other = *this;
  permute_strides(values(order), values(other.shape_), values(other.strides_));
  return other;
}

any_view any_view::transpose(std::int64_t first, std::int64_t second) const {
  auto other = *this;
  transpose_strides(values(other.shape_), values(other.strides_), first, second);
  return other;
}

any_view any_view::squeeze() const {
  auto other = *this;
  for (auto at = shape_.size(); at-- > 0;) {
    if (shape_[at] == 1) other = other.squeeze(static_cast<std::int64_t>(at));
  }
  return other;
}

any_view any_view::squeeze(std::int64_t dimension) const {
  const auto at = resolve_dimension(dimension, shape_);
  return shape_[at] == 1 ? select(dimension, 0) : *this;
}

any_view any_view::unsqueeze(std::int64_t dimension) const {
  const auto at = unsqueezed_dimension(shape_, dimension);
  auto other = *this;
  other.shape_ = shape_.with(at, 1);
  other.strides_ = strides_.with(at, at < shape_.size() ? strides_[at] * shape_[at] : 1);
  return other;
}

any_view any_view::expand(dims shape) const {
  auto other = *this;
  other.strides_ = shape;
  expand_strides(shape_, strides_, values(shape), values(other.strides_));
  other.shape_ = shape;
  return other;
}

any_view any_view::view_as(tensorplay::dtype type) const {
  auto other = *this;
  const auto alignment = encoding_ == encoding::native ? alignment_of(type) : 1;
  retype_strides(values(other.shape_), values(other.strides_), itemsize(dtype_), itemsize(type), first_, alignment);
  other.dtype_ = type;
  return other;
}

void any_view::tofile(const std::filesystem::path& filename, replacement_options options) const {
  save_elements(filename, storage{}, *this, options);
}

}  // namespace tensorplay
