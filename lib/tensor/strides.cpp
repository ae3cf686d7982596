module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

module tensorplay.tensor;

namespace tensorplay {
namespace {

constexpr std::int64_t unchanged = -1;

/// Whether strides reach the elements in the wanted order; fills them in. Dimensions are matched in groups that hold as many elements.
bool reach(const_extents shape, const_extents strides, const_extents wanted, extents wanted_strides) {
  dims joined{shape};
  dims steps{strides};
  auto dimension = join_dimensions({joined.data(), joined.size()}, {steps.data(), steps.size()});
  std::int64_t left = 1;  // elements of the current group that no wanted dimension has taken
  std::int64_t step = 1;
  for (auto at = wanted.size(); at-- > 0;) {
    if (left == 1 && wanted[at] != 1) {
      if (dimension == 0) return false;
      --dimension;
      left = joined[dimension];
      step = steps[dimension];
    }
    if (left % wanted[at] != 0) return false;
    wanted_strides[at] = step;
    left /= wanted[at];
    step *= wanted[at];
  }
  return true;
}

}  // namespace

std::int64_t slice_strides(extents shape, extents strides, std::int64_t dimension, std::int64_t start, std::int64_t stop,
                           std::int64_t step) {
  const auto at = resolve_dimension(dimension, shape);
  const auto range = resolve_slice(start, stop, step, shape[at]);
  const auto skipped = range.length == 0 ? 0 : range.start * strides[at];
  shape[at] = range.length;
  if (range.length > 1) strides[at] *= step;
  return skipped;
}

std::int64_t narrow_strides(extents shape, extents strides, std::int64_t dimension, std::int64_t start, std::int64_t length) {
  const auto at = resolve_dimension(dimension, shape);
  const auto first = start < 0 ? start + shape[at] : start;
  if (first < 0 || first > shape[at] || length < 0 || length > shape[at] - first) {
    throw std::out_of_range{"narrow: a range within dimension " + std::to_string(at) + " of the shape " + shape_text(shape) +
                            " was wanted, found start " + std::to_string(start) + ", length " + std::to_string(length)};
  }
  shape[at] = length;
  return length == 0 ? 0 : first * strides[at];
}

void permute_strides(extents order, extents shape, extents strides) {
  const dims old_shape{shape};
  const dims old_strides{strides};
  const dims wanted{order};
  const auto refuse = [&] {
    throw std::invalid_argument{"permute: every dimension of the shape " + shape_text(old_shape) + " once was wanted, found " +
                                shape_text(wanted)};
  };
  if (order.size() != shape.size()) refuse();
  for (auto& dimension : order) dimension = static_cast<std::int64_t>(resolve_dimension(dimension, old_shape));
  for (std::size_t to = 0; to < order.size(); ++to) {
    if (std::ranges::count(order, order[to]) != 1) refuse();
    shape[to] = old_shape[static_cast<std::size_t>(order[to])];
    strides[to] = old_strides[static_cast<std::size_t>(order[to])];
  }
}

void transpose_strides(extents shape, extents strides, std::int64_t first, std::int64_t second) {
  const auto one = resolve_dimension(first, shape);
  const auto other = resolve_dimension(second, shape);
  std::swap(shape[one], shape[other]);
  std::swap(strides[one], strides[other]);
}

std::size_t squeezed_dimension(const_extents shape, std::int64_t dimension) {
  const auto at = resolve_dimension(dimension, shape);
  if (shape[at] != 1) {
    throw std::invalid_argument{"squeeze: a dimension of one element was wanted, found dimension " + std::to_string(at) +
                                " of the shape " + shape_text(shape)};
  }
  return at;
}

std::size_t unsqueezed_dimension(const_extents shape, std::int64_t dimension) {
  const auto places = static_cast<std::int64_t>(shape.size()) + 1;
  const auto at = dimension < 0 ? dimension + places : dimension;
  if (at < 0 || at >= places) {
    throw std::out_of_range{"unsqueeze: a place among the dimensions of the shape " + shape_text(shape) + " was wanted, found " +
                            std::to_string(dimension)};
  }
  return static_cast<std::size_t>(at);
}

void expand_strides(const_extents shape, const_extents strides, extents wanted, extents wanted_strides) {
  const auto refuse = [&] {
    throw std::invalid_argument{"a shape that repeats " + shape_text(shape) + " was wanted, found " + shape_text(wanted)};
  };
  if (wanted.size() < shape.size()) refuse();
  const auto added = wanted.size() - shape.size();
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    const bool is_new = at < added;
    const auto extent = is_new ? 1 : shape[at - added];
    if (wanted[at] == unchanged && !is_new) wanted[at] = extent;
    if (wanted[at] < 0 || (extent != 1 && wanted[at] != extent)) refuse();
    wanted_strides[at] = is_new || (extent == 1 && wanted[at] != 1) ? 0 : strides[at - added];
  }
  numel_of(wanted);  // refuses a product that overflows
}

void reshape_strides(const_extents shape, const_extents strides, extents wanted, extents wanted_strides) {
  const auto numel = numel_of(shape);
  resolve_shape(wanted, numel);
  if (numel == 0 || is_row_major(shape, strides)) return write_contiguous_strides(wanted, wanted_strides);
  if (!reach(shape, strides, wanted, wanted_strides)) throw_not_contiguous("reshape to " + shape_text(wanted), shape, strides);
}

void retype_strides(extents shape, extents strides, std::int64_t itemsize, std::int64_t wanted_itemsize, const std::byte* first,
                    std::size_t wanted_alignment) {
  const auto refuse = [&](const std::string& wanted) {
    throw std::invalid_argument{"view_as: " + wanted + " was wanted, found the shape " + shape_text(shape) + " with strides " +
                                shape_text(strides) + " of " + std::to_string(itemsize) + " bytes for elements of " +
                                std::to_string(wanted_itemsize)};
  };
  require_aligned(first, wanted_alignment, 0);
  if (itemsize == wanted_itemsize) return;
  if (shape.empty()) refuse("a dimension");
  if (shape.back() > 1 && strides.back() != 1) refuse("a last dimension without gaps");
  const auto nbytes = shape.back() * itemsize;
  if (nbytes % wanted_itemsize != 0) refuse("a last dimension of whole elements");
  for (std::size_t at = 0; at + 1 < shape.size(); ++at) {
    if (shape[at] > 1 && strides[at] * itemsize % wanted_itemsize != 0) refuse("strides of whole elements");
  }
  shape.back() = nbytes / wanted_itemsize;
  strides.back() = 1;
  for (auto& stride : strides.first(strides.size() - 1)) stride = stride * itemsize / wanted_itemsize;
}

std::size_t join_dimensions(extents shape, extents strides) noexcept {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < shape.size(); ++at) {
    if (shape[at] == 1) continue;
    if (kept > 0 && strides[kept - 1] == strides[at] * shape[at]) {
      shape[kept - 1] *= shape[at];
      strides[kept - 1] = strides[at];
    } else {
      shape[kept] = shape[at];
      strides[kept] = strides[at];
      ++kept;
    }
  }
  return kept;
}

void require_aligned(const std::byte* first, std::size_t alignment, std::int64_t offset_bytes) {
  if (const auto behind = reinterpret_cast<std::uintptr_t>(first) % alignment; behind != 0) {
    throw std::invalid_argument{"a first element at a multiple of " + std::to_string(alignment) +
                                " bytes was wanted, found offset " + std::to_string(offset_bytes) + ", " +
                                std::to_string(behind) + " bytes behind one; packed<T> takes any"};
  }
}

}  // namespace tensorplay
