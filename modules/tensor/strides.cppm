module;
#if !defined(__clang__)
#include <cstddef>
#include <cstdint>
#include <span>
#endif

export module tensorplay.tensor:strides;

import tensorplay.standard;

// Not exported: the arithmetic of views, the same for ranks known at compile time and at run time. Shapes and strides count elements.
namespace tensorplay {

using extents = std::span<std::int64_t>;
using const_extents = std::span<const std::int64_t>;

/// Writes the strides of a row-major array without gaps.
constexpr void write_contiguous_strides(const_extents shape, extents strides) noexcept {
  std::int64_t step = 1;
  for (auto dimension = shape.size(); dimension-- > 0; step *= shape[dimension]) strides[dimension] = step;
}

/// Narrows one dimension in place to Python's start:stop:step; gives the elements to skip.
std::int64_t slice_strides(extents shape, extents strides, std::int64_t dimension, std::int64_t start, std::int64_t stop,
                           std::int64_t step);

/// Narrows one dimension in place to length elements from start; gives the elements to skip.
///
/// Errors    std::out_of_range: the dimension, or a range outside it.
std::int64_t narrow_strides(extents shape, extents strides, std::int64_t dimension, std::int64_t start, std::int64_t length);

/// Checks that an order of dimensions names each of them once and brings shape and strides into it; counts negative ones from the end.
void permute_strides(extents order, extents shape, extents strides);

/// Swaps two dimensions in place.
void transpose_strides(extents shape, extents strides, std::int64_t first, std::int64_t second);

/// The dimension of one element that squeeze is to drop.
///
/// Errors    std::out_of_range: no such dimension. std::invalid_argument: it has more or fewer elements.
std::size_t squeezed_dimension(const_extents shape, std::int64_t dimension);

/// Where unsqueeze puts a new dimension: -1 is behind the last.
///
/// Errors    std::out_of_range: no such place.
std::size_t unsqueezed_dimension(const_extents shape, std::int64_t dimension);

/// Repeats dimensions of one element, and adds dimensions in front, with strides of zero; -1 in wanted keeps an extent.
///
/// Errors    std::invalid_argument: another extent that differs, fewer dimensions.
void expand_strides(const_extents shape, const_extents strides, extents wanted, extents wanted_strides);

/// The strides that show the same elements in another shape, whose one -1 is replaced.
///
/// Errors    std::invalid_argument: another number of elements, or elements that stand where no strides reach them in that order.
void reshape_strides(const_extents shape, const_extents strides, extents wanted, extents wanted_strides);

/// The same for row-major elements, where there is nothing to refuse; else false, and nothing has been written. May write over wanted.
constexpr bool reshape_row_major(std::int64_t numel, const_extents wanted, extents shape, extents strides) noexcept {
  std::int64_t known = 1;
  auto open = wanted.size();
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    if (wanted[at] == -1 && open == wanted.size()) {
      open = at;
    } else if (wanted[at] <= 0 || __builtin_mul_overflow(known, wanted[at], &known)) {
      return false;
    }
  }
  const auto inferred = open == wanted.size() ? 1 : numel / known;
  if (inferred * known != numel) return false;
  std::int64_t step = 1;
  for (auto at = wanted.size(); at-- > 0; step *= shape[at]) {
    shape[at] = at == open ? inferred : wanted[at];
    strides[at] = step;
  }
  return true;
}

/// Shape and strides of the same bytes as elements of another size, in place: the last dimension changes.
///
/// Errors    std::invalid_argument: bytes that make no whole elements, a last dimension with gaps, an address that is not aligned.
void retype_strides(extents shape, extents strides, std::int64_t itemsize, std::int64_t wanted_itemsize, const std::byte* first,
                    std::size_t wanted_alignment);

/// Joins dimensions whose elements follow each other, in place, and drops those of one element; gives how many are left.
std::size_t join_dimensions(extents shape, extents strides) noexcept;

/// Checks the alignment of a first element.
///
/// offset_bytes  for the message.
/// Errors        std::invalid_argument, which names packed.
void require_aligned(const std::byte* first, std::size_t alignment, std::int64_t offset_bytes);

}  // namespace tensorplay
