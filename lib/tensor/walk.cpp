module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

module tensorplay.tensor;

namespace tensorplay {
namespace {

std::int64_t reversed_part(const any_view& elements) {
  const bool is_big = elements.encoding() == encoding::packed_big;
  const bool is_native = elements.encoding() == encoding::native || is_big == (std::endian::native == std::endian::big);
  if (is_native) return 0;
  return dispatch(elements.dtype(), []<class T>() { return static_cast<std::int64_t>(part_size<T>); });
}

void reverse_parts(std::byte* first, std::int64_t nbytes, std::int64_t part) {
  if (part <= 1) return;
  for (auto* end = first + nbytes; first != end; first += part) std::reverse(first, first + part);
}

/// Copies elements of one size between places with steps in bytes.
template <std::int64_t Size>
void copy_steps(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step, std::int64_t count) {
  for (; count > 0; --count, to += to_step, from += from_step) std::memcpy(to, from, Size);
}

void copy_elements_of(std::int64_t itemsize, std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                      std::int64_t count) {
  if (to_step == itemsize && from_step == itemsize) {
    std::memcpy(to, from, static_cast<std::size_t>(count * itemsize));
    return;
  }
  switch (itemsize) {
    case 1: return copy_steps<1>(to, to_step, from, from_step, count);
    case 2: return copy_steps<2>(to, to_step, from, from_step, count);
    case 4: return copy_steps<4>(to, to_step, from, from_step, count);
    case 8: return copy_steps<8>(to, to_step, from, from_step, count);
    default: return copy_steps<16>(to, to_step, from, from_step, count);
  }
}

}  // namespace

element_walk::element_walk(const any_view& elements) noexcept
    : at_{const_cast<std::byte*>(elements.data())},
      remaining_{elements.numel()},
      itemsize_{itemsize(elements.dtype())},
      part_{reversed_part(elements)},
      is_native_{elements.encoding() == encoding::native},
      shape_{elements.shape()},
      steps_{elements.strides()} {
  rank_ = join_dimensions({shape_.data(), shape_.size()}, {steps_.data(), steps_.size()});
  for (auto& step : steps_) step *= itemsize_;
}

std::int64_t element_walk::run() const noexcept {
  if (!is_native_) return 0;
  if (rank_ == 0) return remaining_;
  const auto inner = rank_ - 1;
  return steps_[inner] == itemsize_ ? std::min(remaining_, shape_[inner] - index_[inner]) : 0;
}

void element_walk::advance(std::int64_t count) noexcept {
  while (count > 0) count -= step_inner(count);
}

/// Goes on within the innermost dimension, and to the next row where it ends; gives the steps taken.
std::int64_t element_walk::step_inner(std::int64_t count) noexcept {
  if (rank_ == 0) return remaining_ -= 1, 1;
  auto dimension = rank_ - 1;
  const auto taken = std::min(count, shape_[dimension] - index_[dimension]);
  remaining_ -= taken;
  index_[dimension] += taken;
  at_ += taken * steps_[dimension];
  while (dimension > 0 && index_[dimension] == shape_[dimension]) {
    at_ -= shape_[dimension] * steps_[dimension];
    index_[dimension] = 0;
    --dimension;
    ++index_[dimension];
    at_ += steps_[dimension];
  }
  return taken;
}

void element_walk::gather(std::byte* to, std::int64_t count) noexcept {
  const auto nbytes = count * itemsize_;
  for (auto* next = to; count > 0;) {
    const auto* from = at_;
    const auto step = rank_ == 0 ? itemsize_ : steps_[rank_ - 1];
    const auto taken = rank_ == 0 ? 1 : std::min(count, shape_[rank_ - 1] - index_[rank_ - 1]);
    copy_elements_of(itemsize_, next, itemsize_, from, step, taken);
    advance(taken);
    next += taken * itemsize_;
    count -= taken;
  }
  reverse_parts(to, nbytes, part_);
}

void element_walk::scatter(const std::byte* from, std::int64_t count) noexcept {
  while (count > 0) {
    auto* to = at_;
    const auto step = rank_ == 0 ? itemsize_ : steps_[rank_ - 1];
    const auto taken = rank_ == 0 ? 1 : std::min(count, shape_[rank_ - 1] - index_[rank_ - 1]);
    copy_elements_of(itemsize_, to, step, from, itemsize_, taken);
    if (part_ > 1) {
      for (std::int64_t at = 0; at < taken; ++at) reverse_parts(to + at * step, itemsize_, part_);
    }
    advance(taken);
    from += taken * itemsize_;
    count -= taken;
  }
}

}  // namespace tensorplay
