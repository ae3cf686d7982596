module;
#if !defined(__clang__)
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#endif

export module tensorplay.tensor:iterator;

import tensorplay.standard;
import :element;
import :packed;
import :traits;

export namespace tensorplay {

/// Visits the elements of a strided tensor in row-major order; random access.
///
/// Lifetime  that of the bytes it walks over; the tensor it came from may go.
/// Cost      a step adds a stride; a jump costs one division per dimension.
template <element T, std::size_t Rank>
class strided_iterator {
 public:
  using value_type = traits::mutable_of<T>;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using pointer = T*;
  using iterator_category = std::random_access_iterator_tag;
  using dims_array = std::array<std::int64_t, Rank>;

  constexpr strided_iterator() noexcept = default;
  constexpr strided_iterator(T* first, const dims_array& shape, const dims_array& strides, std::int64_t position) noexcept
      : first_{first}, shape_{shape}, strides_{strides} {
    jump(position);
  }

  constexpr T& operator*() const noexcept { return first_[offset_]; }
  constexpr T* operator->() const noexcept { return first_ + offset_; }
  constexpr T& operator[](difference_type steps) const noexcept { return *(*this + steps); }

  constexpr strided_iterator& operator++() noexcept {
    ++position_;
    for (std::size_t dimension = Rank; dimension-- > 0;) {
      offset_ += strides_[dimension];
      if (++index_[dimension] < shape_[dimension] || dimension == 0) break;
      offset_ -= shape_[dimension] * strides_[dimension];
      index_[dimension] = 0;
    }
    return *this;
  }
  constexpr strided_iterator& operator--() noexcept {
    jump(position_ - 1);
    return *this;
  }
  constexpr strided_iterator operator++(int) noexcept {
    auto before = *this;
    ++*this;
    return before;
  }
  constexpr strided_iterator operator--(int) noexcept {
    auto before = *this;
    --*this;
    return before;
  }
  constexpr strided_iterator& operator+=(difference_type steps) noexcept {
    jump(position_ + steps);
    return *this;
  }
  constexpr strided_iterator& operator-=(difference_type steps) noexcept { return *this += -steps; }

  friend constexpr strided_iterator operator+(strided_iterator from, difference_type steps) noexcept { return from += steps; }
  friend constexpr strided_iterator operator+(difference_type steps, strided_iterator from) noexcept { return from += steps; }
  friend constexpr strided_iterator operator-(strided_iterator from, difference_type steps) noexcept { return from -= steps; }
  friend constexpr difference_type operator-(const strided_iterator& left, const strided_iterator& right) noexcept {
    return left.position_ - right.position_;
  }
  friend constexpr bool operator==(const strided_iterator& left, const strided_iterator& right) noexcept {
    return left.position_ == right.position_;
  }
  friend constexpr auto operator<=>(const strided_iterator& left, const strided_iterator& right) noexcept {
    return left.position_ <=> right.position_;
  }

 private:
  constexpr void jump(std::int64_t position) noexcept {
    position_ = position;
    offset_ = 0;
    for (std::size_t dimension = Rank; dimension-- > 0;) {
      const auto extent = shape_[dimension];
      // the end lies behind the last index of the first dimension, so that dimension is not wrapped
      index_[dimension] = dimension == 0 || extent == 0 ? position : position % extent;
      if (extent != 0) position /= extent;
      offset_ += index_[dimension] * strides_[dimension];
    }
  }

  T* first_ = nullptr;
  dims_array shape_{};
  dims_array strides_{};
  dims_array index_{};
  std::int64_t offset_ = 0;
  std::int64_t position_ = 0;
};

/// Visits a view's first dimension: each step gives the view that view[i] gives. Random access.
///
/// Lifetime  that of the bytes it walks over.
/// Cost      no reference is counted.
template <class View>
class row_iterator {
 public:
  using value_type = decltype(View{}[0]);
  using difference_type = std::ptrdiff_t;
  using reference = value_type;
  using pointer = void;
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::random_access_iterator_tag;

  constexpr row_iterator() noexcept = default;
  constexpr row_iterator(const View& over, std::int64_t position) noexcept : over_{over}, position_{position} {}

  constexpr value_type operator*() const noexcept { return over_[position_]; }
  constexpr value_type operator[](difference_type steps) const noexcept { return over_[position_ + steps]; }

  constexpr row_iterator& operator+=(difference_type steps) noexcept {
    position_ += steps;
    return *this;
  }
  constexpr row_iterator& operator-=(difference_type steps) noexcept { return *this += -steps; }
  constexpr row_iterator& operator++() noexcept { return *this += 1; }
  constexpr row_iterator& operator--() noexcept { return *this += -1; }
  constexpr row_iterator operator++(int) noexcept { return {over_, position_++}; }
  constexpr row_iterator operator--(int) noexcept { return {over_, position_--}; }

  friend constexpr row_iterator operator+(row_iterator from, difference_type steps) noexcept { return from += steps; }
  friend constexpr row_iterator operator+(difference_type steps, row_iterator from) noexcept { return from += steps; }
  friend constexpr row_iterator operator-(row_iterator from, difference_type steps) noexcept { return from -= steps; }
  friend constexpr difference_type operator-(const row_iterator& left, const row_iterator& right) noexcept {
    return left.position_ - right.position_;
  }
  friend constexpr bool operator==(const row_iterator& left, const row_iterator& right) noexcept {
    return left.position_ == right.position_;
  }
  friend constexpr auto operator<=>(const row_iterator& left, const row_iterator& right) noexcept {
    return left.position_ <=> right.position_;
  }

 private:
  View over_;
  std::int64_t position_ = 0;
};

/// A view's first dimension as a range of views.
template <class View>
class row_range {
 public:
  constexpr row_range() noexcept = default;
  constexpr explicit row_range(const View& over) noexcept : over_{over} {}

  constexpr row_iterator<View> begin() const noexcept { return {over_, 0}; }
  constexpr row_iterator<View> end() const noexcept { return {over_, over_.shape()[0]}; }
  constexpr std::size_t size() const noexcept { return static_cast<std::size_t>(over_.shape()[0]); }

 private:
  View over_;
};

}  // namespace tensorplay

template <class View>
inline constexpr bool std::ranges::enable_borrowed_range<tensorplay::row_range<View>> = true;
template <class View>
inline constexpr bool std::ranges::enable_view<tensorplay::row_range<View>> = true;

#if !defined(__clang__) && __cplusplus > 202002L
// In C++23 a span asks whether its iterator is one. g++ 14 says no in a program that imports the module and includes no header of the
// standard library, unless the module has asked the same.
namespace tensorplay {

template <class... T>
inline constexpr bool have_iterators = (std::input_iterator<typename std::span<T>::iterator> && ...);
template <class... T>
inline constexpr bool have_spans = have_iterators<T..., const T...> &&
                                   have_iterators<packed<T, std::endian::little>..., const packed<T, std::endian::little>...> &&
                                   have_iterators<packed<T, std::endian::big>..., const packed<T, std::endian::big>...>;
static_assert(have_spans<bool8_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t,
                         std::int32_t, std::int64_t, float16_t, bfloat16_t, float, double, complex64_t, complex128_t>);

}  // namespace tensorplay
#endif
