module;
#include <complex>
#include <cstdint>

export module tensorplay.tensor:element;

import :traits;

export namespace tensorplay {

/// IEEE 754 binary16: 11 significant bits, up to 65504.
using float16_t = _Float16;

/// The upper half of a float32: 8 significant bits, the range of a float32.
using bfloat16_t = __bf16;

/// A bool as files hold it: a byte of any value that reads as `byte != 0`. A language bool may hold 0 and 1 alone.
class bool8_t {
 public:
  constexpr bool8_t() noexcept = default;
  constexpr bool8_t(bool value) noexcept : byte_{value} {}
  constexpr operator bool() const noexcept { return byte_ != 0; }

 private:
  std::uint8_t byte_ = 0;
};

/// Whether T is one of Types.
template <class T, class... Types>
concept one_of = (traits::same<T, Types> || ...);

/// What a tensor may hold, const or not: the types that have a dtype.
template <class T>
concept element =
    one_of<traits::mutable_of<T>, bool8_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t,
           std::int32_t, std::int64_t, float16_t, bfloat16_t, float, double, std::complex<float>, std::complex<double>>;

}  // namespace tensorplay
