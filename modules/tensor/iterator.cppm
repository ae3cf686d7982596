module;
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>

export module tensorplay.tensor:iterator;

import :element;
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

}  // namespace tensorplay
