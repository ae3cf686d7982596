module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

module tensorplay.tensor;

import tensorplay.storage;

namespace tensorplay {
namespace {

constexpr std::int64_t taken_from_elsewhere = -1;

[[noreturn]] void throw_unfit_shape(std::span<const std::int64_t> shape, std::int64_t numel) {
  throw std::invalid_argument{"a shape of " + std::to_string(numel) + " elements was wanted, found " + shape_text(shape)};
}

/// Counts from the end when negative; nothing outside the range.
std::int64_t counted_from_end(std::int64_t index, std::int64_t extent) { return index < 0 ? index + extent : index; }

}  // namespace

std::size_t dims::throw_rank_too_high(std::size_t rank) {
  throw std::invalid_argument{"at most " + std::to_string(max_rank) + " dimensions were wanted, found " + std::to_string(rank)};
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text{"("};
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
    if (dimension > 0) text += ", ";
    text += std::to_string(shape[dimension]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::int64_t numel_of(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  bool has_zero = false;
  bool overflows = false;
  for (const auto extent : shape) {
    if (extent < 0) throw std::invalid_argument{"a shape without negative dimensions was wanted, found " + shape_text(shape)};
    has_zero = has_zero || extent == 0;
    const auto product = checked_multiply(count, std::max<std::int64_t>(extent, 1));
    overflows = overflows || !product;
    count = product.value_or(1);
  }
  // Strides of an empty tensor are computed too, so that even there no product may overflow.
  if (overflows) throw std::invalid_argument{"a shape of fewer than 2^63 elements was wanted, found " + shape_text(shape)};
  return has_zero ? 0 : count;
}

void throw_no_end(std::int64_t numel, std::int64_t itemsize, std::int64_t offset_bytes) {
  if (numel < 0) throw std::invalid_argument{"a size of zero or more elements was wanted, found " + std::to_string(numel)};
  if (offset_bytes < 0) {
    throw std::invalid_argument{"an offset of zero or more bytes was wanted, found " + std::to_string(offset_bytes)};
  }
  throw std::invalid_argument{"fewer than 2^63 bytes were wanted, found " + std::to_string(numel) + " elements of " +
                              std::to_string(itemsize) + " bytes at offset " + std::to_string(offset_bytes)};
}

bool is_row_major(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) noexcept {
  std::int64_t step = 1;
  for (std::size_t dimension = shape.size(); dimension-- > 0;) {
    if (shape[dimension] != 1 && strides[dimension] != step) return std::ranges::find(shape, 0) != shape.end();
    step *= shape[dimension];
  }
  return true;
}

void resolve_shape(std::span<std::int64_t> shape, std::int64_t numel) {
  const auto open = std::ranges::find(shape, taken_from_elsewhere);
  if (open == shape.end()) {
    if (numel_of(shape) != numel) throw_unfit_shape(shape, numel);
    return;
  }
  if (std::ranges::count(shape, taken_from_elsewhere) > 1) {
    throw std::invalid_argument{"a shape with at most one -1 was wanted, found " + shape_text(shape)};
  }
  *open = 1;
  const auto others = [&] {
    const auto known = numel_of(shape);
    *open = taken_from_elsewhere;
    return known;
  }();
  if (others == 0) throw std::invalid_argument{"a shape without a zero beside -1 was wanted, found " + shape_text(shape)};
  if (numel % others != 0) throw_unfit_shape(shape, numel);
  *open = numel / others;
}

std::size_t resolve_dimension(std::int64_t dimension, std::span<const std::int64_t> shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto found = counted_from_end(dimension, rank);
  if (found < 0 || found >= rank) {
    throw std::out_of_range{"a dimension of the shape " + shape_text(shape) + " was wanted, found " + std::to_string(dimension)};
  }
  return static_cast<std::size_t>(found);
}

std::int64_t resolve_index(std::int64_t index, std::size_t dimension, std::span<const std::int64_t> shape) {
  const auto found = counted_from_end(index, shape[dimension]);
  if (found < 0 || found >= shape[dimension]) throw_out_of_range(index, dimension, shape);
  return found;
}

slice_range resolve_slice(std::int64_t start, std::int64_t stop, std::int64_t step, std::int64_t extent) {
  if (step <= 0) throw std::invalid_argument{"a slice step of one or more was wanted, found " + std::to_string(step)};
  const auto first = std::clamp<std::int64_t>(counted_from_end(start, extent), 0, extent);
  const auto last = std::clamp<std::int64_t>(counted_from_end(stop, extent), first, extent);
  const auto span = last - first;
  return {first, span / step + (span % step != 0 ? 1 : 0)};
}

void throw_out_of_range(std::int64_t index, std::size_t dimension, std::span<const std::int64_t> shape) {
  throw std::out_of_range{"an index of dimension " + std::to_string(dimension) + " of the shape " + shape_text(shape) +
                          " was wanted, found " + std::to_string(index)};
}

}  // namespace tensorplay
