module;
#if !defined(__clang__)
#include <bit>
#include <cstdint>
#endif

module tensorplay.functional:order;

import tensorplay.standard;
import tensorplay.tensor;

namespace tensorplay::inline functional {

/// What elements are compared as: clang 19 without optimisation mishandles bfloat16.
template <class T>
using key = traits::choose<half_element<T>, float, traits::choose<one_of<T, bool8_t>, bool, T>>;

/// The numbers that are compared in place of elements: integers for the half types, in the order of the numbers that their bits mean.
template <class T>
using order_of = traits::choose<half_element<T>, std::int16_t, traits::choose<one_of<T, bool8_t>, std::uint8_t, T>>;

/// The bits of the infinity of a half type; those of NaN are larger.
template <half_element T>
inline constexpr std::int16_t infinity_bits = one_of<T, float16_t> ? 0x7c00 : 0x7f80;

/// The place in the order of the half float that has these bits; of a place, the bits.
inline std::int16_t reordered(std::int16_t bits) { return static_cast<std::int16_t>(bits ^ ((bits >> 15) & 0x7fff)); }

/// The element that has a place in the order.
template <class T>
T element_at(order_of<T> place) {
  if constexpr (half_element<T>) {
    return std::bit_cast<T>(reordered(place));
  } else if constexpr (one_of<T, bool8_t>) {
    return T{place != 0};
  } else {
    return place;
  }
}

}  // namespace tensorplay::inline functional
