module;
#if !defined(__clang__)
#include <bit>
#include <cstddef>
#include <cstdint>
#endif

export module tensorplay.tensor:packed;

import tensorplay.standard;
import :element;
import :traits;

export namespace tensorplay {

/// The smallest piece of an element that has a byte order: a part of a complex number, or the element itself.
template <native_element T>
inline constexpr std::size_t part_size = complex_element<T> ? sizeof(T) / 2 : sizeof(T);

/// A T in the given byte order and of alignment 1; reads and writes as T. For arrays at odd offsets and of foreign machines:
/// `from_file<packed<float, std::endian::big>>(...)`.
///
/// Default-constructed  undefined, as T is.
/// Cost                 an unaligned load, and a byte swap where the order is not the machine's.
template <native_element T, std::endian Order = std::endian::native>
class packed {
 public:
  using value_type = T;
  static constexpr std::endian byte_order = Order;

  packed() = default;
  constexpr packed(T value) noexcept : packed{__builtin_bit_cast(packed, value).in_order()} {}
  constexpr operator T() const noexcept { return __builtin_bit_cast(T, in_order()); }

  constexpr packed& operator+=(T value) noexcept { return *this = static_cast<T>(static_cast<T>(*this) + value); }
  constexpr packed& operator-=(T value) noexcept { return *this = static_cast<T>(static_cast<T>(*this) - value); }
  constexpr packed& operator*=(T value) noexcept { return *this = static_cast<T>(static_cast<T>(*this) * value); }
  constexpr packed& operator/=(T value) noexcept { return *this = static_cast<T>(static_cast<T>(*this) / value); }

 private:
  constexpr packed in_order() const noexcept {
    if constexpr (Order == std::endian::native || part_size<T> == 1) {
      return *this;
    } else {
      auto swapped = *this;
      for (std::size_t at = 0; at < sizeof(T); ++at) swapped.bytes_[at] = bytes_[at + part_size<T> - 1 - 2 * (at % part_size<T>)];
      return swapped;
    }
  }

  std::byte bytes_[sizeof(T)];
};

template <class T, std::endian Order>
inline constexpr bool is_packed<packed<T, Order>> = true;

/// How the bytes of an element are to be read.
enum class encoding : std::uint8_t {
  native,         ///< aligned, in the byte order of this machine
  packed_little,  ///< of alignment 1, the low byte first
  packed_big,     ///< of alignment 1, the high byte first
};

template <element T>
struct element_traits {
  using value = traits::mutable_of<T>;
  static constexpr auto bytes = encoding::native;
};
template <element T>
  requires is_packed<traits::mutable_of<T>>
struct element_traits<T> {
  using value = typename traits::mutable_of<T>::value_type;
  static constexpr auto bytes =
      traits::mutable_of<T>::byte_order == std::endian::little ? encoding::packed_little : encoding::packed_big;
};

/// What an element reads as: `value_of<const packed<float>>` is float.
template <element T>
using value_of = typename element_traits<T>::value;
template <element T>
inline constexpr encoding encoding_of = element_traits<T>::bytes;

}  // namespace tensorplay
