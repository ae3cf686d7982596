module;
#if !defined(__clang__)
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#endif

export module tensorplay.tensor:shape;

import tensorplay.standard;
import tensorplay.storage;
import :strides;

// g++ 14 lets an importer in C++23 use only those specialisations that a partition has used itself.
static_assert(sizeof(std::span<std::int64_t>) == sizeof(std::span<const std::int64_t>));

export namespace tensorplay {

/// Dimensions that any_tensor can have.
inline constexpr std::size_t max_rank = 16;

/// The stop that slice takes where Python leaves it out.
inline constexpr std::int64_t slice_end = std::numeric_limits<std::int64_t>::max();

/// A shape or strides whose rank is known at run time; no allocation.
class dims {
 public:
  constexpr dims() noexcept { zero_in_constants(); }

  /// Errors    std::invalid_argument: more than max_rank dimensions.
  constexpr dims(std::initializer_list<std::int64_t> values) : dims{std::span{values.begin(), values.size()}} {}
  template <std::size_t Rank>
    requires(Rank <= max_rank)
  constexpr dims(const std::array<std::int64_t, Rank>& values) : dims{std::span<const std::int64_t>{values}} {}
  constexpr explicit dims(std::span<const std::int64_t> values) : rank_{checked_rank(values.size())} {
    zero_in_constants();
    std::copy(values.begin(), values.end(), values_.begin());
  }

  /// That many dimensions, to be written before they are read.
  ///
  /// Errors    std::invalid_argument: more than max_rank dimensions.
  static constexpr dims of_rank(std::size_t rank) {
    dims values;
    values.rank_ = checked_rank(rank);
    return values;
  }

  constexpr std::size_t size() const noexcept { return rank_; }
  constexpr bool empty() const noexcept { return rank_ == 0; }
  constexpr const std::int64_t* data() const noexcept { return values_.data(); }
  constexpr std::int64_t* data() noexcept { return values_.data(); }
  constexpr const std::int64_t* begin() const noexcept { return values_.data(); }
  constexpr const std::int64_t* end() const noexcept { return values_.data() + rank_; }
  constexpr std::int64_t* begin() noexcept { return values_.data(); }
  constexpr std::int64_t* end() noexcept { return values_.data() + rank_; }
  constexpr std::int64_t operator[](std::size_t dimension) const noexcept { return values_[dimension]; }
  constexpr std::int64_t& operator[](std::size_t dimension) noexcept { return values_[dimension]; }

  /// The same without one dimension.
  constexpr dims without(std::size_t dimension) const noexcept {
    auto rest = *this;
    rest.erase(dimension);
    return rest;
  }

  /// Takes other values, at most max_rank.
  constexpr void assign(std::span<const std::int64_t> values) {
    rank_ = checked_rank(values.size());
    std::copy(values.begin(), values.end(), values_.begin());
  }

  /// Drops one dimension.
  constexpr void erase(std::size_t dimension) noexcept {
    std::copy(begin() + dimension + 1, end(), begin() + dimension);
    --rank_;
  }

  /// The same with one more dimension in front of that one.
  ///
  /// Errors    std::invalid_argument: more than max_rank dimensions.
  constexpr dims with(std::size_t dimension, std::int64_t value) const {
    auto more = *this;
    more.rank_ = checked_rank(rank_ + 1);
    std::copy(begin() + dimension, end(), more.begin() + dimension + 1);
    more[dimension] = value;
    return more;
  }

  friend constexpr bool operator==(const dims& left, const dims& right) noexcept {
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
  }

 private:
  /// Constant expressions must write all that they copy; else zeros would be half of what a view costs.
  constexpr void zero_in_constants() noexcept {
    if (std::is_constant_evaluated()) values_ = {};
  }

  static std::size_t throw_rank_too_high(std::size_t rank);
  static constexpr std::size_t checked_rank(std::size_t rank) { return rank <= max_rank ? rank : throw_rank_too_high(rank); }

  std::size_t rank_ = 0;
  std::array<std::int64_t, max_rank> values_;  // no more than rank_ of them are read
};

/// A shape as messages print it: "(60000, 28, 28)", "(10,)".
std::string shape_text(std::span<const std::int64_t> shape);

/// Elements of a shape. The one place where sizes are multiplied.
///
/// Errors    std::invalid_argument: a negative dimension, or a product beyond std::int64_t.
std::int64_t numel_of(std::span<const std::int64_t> shape);

/// Says what is wrong with the arguments of end_in_bytes().
[[noreturn]] void throw_no_end(std::int64_t numel, std::int64_t itemsize, std::int64_t offset_bytes);

/// Bytes from the start of a file or storage to the end of so many elements.
///
/// Errors    std::invalid_argument: numel or offset_bytes is negative, or the sum is beyond std::ptrdiff_t.
constexpr std::int64_t end_in_bytes(std::int64_t numel, std::int64_t itemsize, std::int64_t offset_bytes = 0) {
  const auto nbytes = checked_multiply(numel, itemsize);
  const auto end = nbytes ? checked_add(*nbytes, offset_bytes) : nbytes;
  if (numel < 0 || offset_bytes < 0 || !end) throw_no_end(numel, itemsize, offset_bytes);
  return *end;
}

/// Strides, in elements, of a row-major array without gaps.
template <std::size_t Rank>
constexpr std::array<std::int64_t, Rank> contiguous_strides(const std::array<std::int64_t, Rank>& shape) noexcept {
  std::array<std::int64_t, Rank> strides{};
  write_contiguous_strides(shape, strides);
  return strides;
}

constexpr dims contiguous_strides(const dims& shape) {
  auto strides = dims::of_rank(shape.size());
  write_contiguous_strides({shape.data(), shape.size()}, {strides.data(), strides.size()});
  return strides;
}

/// Whether elements of this shape and these strides stand one behind the other in row-major order.
bool is_row_major(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) noexcept;

/// Replaces the one -1 that a new shape may hold by what numel elements need.
///
/// Errors    std::invalid_argument: two -1, another negative dimension, a zero beside -1, or a shape of another number of elements.
void resolve_shape(std::span<std::int64_t> shape, std::int64_t numel);

/// The dimension that a Python index means: -1 is the last.
///
/// Errors    std::out_of_range: no such dimension.
std::size_t resolve_dimension(std::int64_t dimension, std::span<const std::int64_t> shape);

/// The position that a Python index means in one dimension: -1 is the last.
///
/// Errors    std::out_of_range: no such position.
std::int64_t resolve_index(std::int64_t index, std::size_t dimension, std::span<const std::int64_t> shape);

/// What a Python slice selects of one dimension.
struct slice_range {
  std::int64_t start;
  std::int64_t length;
};

/// Python's start:stop:step of a dimension: negative positions count from the end, all are clamped.
///
/// Errors    std::invalid_argument: step is not positive.
slice_range resolve_slice(std::int64_t start, std::int64_t stop, std::int64_t step, std::int64_t extent);

/// Says which index of a shape is wrong.
///
/// Errors    std::out_of_range, always.
[[noreturn]] void throw_out_of_range(std::int64_t index, std::size_t dimension, std::span<const std::int64_t> shape);

}  // namespace tensorplay
