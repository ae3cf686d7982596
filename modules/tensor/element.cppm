module;
#if !defined(__clang__)
#include <complex>
#include <cstdint>
#endif

export module tensorplay.tensor:element;

import tensorplay.standard;
import :traits;

export namespace tensorplay {

/// IEEE 754 binary16: 11 significant bits, up to 65504.
using float16_t = _Float16;

/// The upper half of a float32: 8 significant bits, the range of a float32.
using bfloat16_t = __bf16;

/// A real and an imaginary part. Interfaces that use these names need not include <complex>, which is slow to merge.
using complex64_t = std::complex<float>;
using complex128_t = std::complex<double>;

/// A bool as files hold it: a byte of any value that reads as `byte != 0`. A language bool may hold 0 and 1 alone.
class bool8_t {
 public:
  constexpr bool8_t() noexcept = default;
  constexpr bool8_t(bool value) noexcept : byte_{value} {}
  template <class T>
  bool8_t(T*) = delete;
  constexpr operator bool() const noexcept { return byte_ != 0; }

 private:
  std::uint8_t byte_ = 0;
};

/// Whether T is one of Types.
template <class T, class... Types>
concept one_of = (traits::same<T, Types> || ...);

/// The types that have a dtype: the language's own numbers, the half types, bool8_t and complex numbers.
template <class T>
concept native_element = one_of<T, bool8_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t,
                                std::int32_t, std::int64_t, float16_t, bfloat16_t, float, double, complex64_t, complex128_t>;

/// The complex elements.
template <class T>
concept complex_element = one_of<T, complex64_t, complex128_t>;

/// The elements of 16 bits that calculate in float32.
template <class T>
concept half_element = one_of<T, float16_t, bfloat16_t>;

/// True for packed<T, Order>.
template <class T>
inline constexpr bool is_packed = false;

/// What a tensor may hold, const or not: a native element, or one packed.
template <class T>
concept element = native_element<traits::mutable_of<T>> || is_packed<traits::mutable_of<T>>;

}  // namespace tensorplay
