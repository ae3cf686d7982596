module;
#if !defined(__clang__)
#include <cstdint>
#include <iosfwd>
#include <string_view>
#endif

export module tensorplay.tensor:dtype;

import tensorplay.standard;
import :element;
import :packed;
import :traits;

export namespace tensorplay {

/// The element types by name, for tensors whose type is known at run time.
enum class dtype : std::uint8_t {
  bool_,
  uint8,
  uint16,
  uint32,
  uint64,
  int8,
  int16,
  int32,
  int64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};

inline constexpr dtype bool_ = dtype::bool_;
inline constexpr dtype uint8 = dtype::uint8;
inline constexpr dtype uint16 = dtype::uint16;
inline constexpr dtype uint32 = dtype::uint32;
inline constexpr dtype uint64 = dtype::uint64;
inline constexpr dtype int8 = dtype::int8;
inline constexpr dtype int16 = dtype::int16;
inline constexpr dtype int32 = dtype::int32;
inline constexpr dtype int64 = dtype::int64;
inline constexpr dtype float16 = dtype::float16;
inline constexpr dtype bfloat16 = dtype::bfloat16;
inline constexpr dtype float32 = dtype::float32;
inline constexpr dtype float64 = dtype::float64;
inline constexpr dtype complex64 = dtype::complex64;
inline constexpr dtype complex128 = dtype::complex128;

/// The element type of a dtype: `element_of<float32>` is float.
template <dtype Type>
struct element_of_dtype;
template <>
struct element_of_dtype<dtype::bool_> {
  using type = bool8_t;
};
template <>
struct element_of_dtype<dtype::uint8> {
  using type = std::uint8_t;
};
template <>
struct element_of_dtype<dtype::uint16> {
  using type = std::uint16_t;
};
template <>
struct element_of_dtype<dtype::uint32> {
  using type = std::uint32_t;
};
template <>
struct element_of_dtype<dtype::uint64> {
  using type = std::uint64_t;
};
template <>
struct element_of_dtype<dtype::int8> {
  using type = std::int8_t;
};
template <>
struct element_of_dtype<dtype::int16> {
  using type = std::int16_t;
};
template <>
struct element_of_dtype<dtype::int32> {
  using type = std::int32_t;
};
template <>
struct element_of_dtype<dtype::int64> {
  using type = std::int64_t;
};
template <>
struct element_of_dtype<dtype::float16> {
  using type = float16_t;
};
template <>
struct element_of_dtype<dtype::bfloat16> {
  using type = bfloat16_t;
};
template <>
struct element_of_dtype<dtype::float32> {
  using type = float;
};
template <>
struct element_of_dtype<dtype::float64> {
  using type = double;
};
template <>
struct element_of_dtype<dtype::complex64> {
  using type = complex64_t;
};
template <>
struct element_of_dtype<dtype::complex128> {
  using type = complex128_t;
};
template <dtype Type>
using element_of = typename element_of_dtype<Type>::type;

}  // namespace tensorplay

namespace tensorplay {
[[noreturn]] void throw_unknown_dtype(dtype type);
}

export namespace tensorplay {

/// Calls function.operator()<T>() with the element type T of a dtype, and returns what it returns.
///
/// Errors    std::invalid_argument: a number that is no dtype.
template <class Function>
constexpr decltype(auto) dispatch(dtype type, Function&& function) {
  switch (type) {
    case dtype::bool_: return function.template operator()<bool8_t>();
    case dtype::uint8: return function.template operator()<std::uint8_t>();
    case dtype::uint16: return function.template operator()<std::uint16_t>();
    case dtype::uint32: return function.template operator()<std::uint32_t>();
    case dtype::uint64: return function.template operator()<std::uint64_t>();
    case dtype::int8: return function.template operator()<std::int8_t>();
    case dtype::int16: return function.template operator()<std::int16_t>();
    case dtype::int32: return function.template operator()<std::int32_t>();
    case dtype::int64: return function.template operator()<std::int64_t>();
    case dtype::float16: return function.template operator()<float16_t>();
    case dtype::bfloat16: return function.template operator()<bfloat16_t>();
    case dtype::float32: return function.template operator()<float>();
    case dtype::float64: return function.template operator()<double>();
    case dtype::complex64: return function.template operator()<complex64_t>();
    case dtype::complex128: return function.template operator()<complex128_t>();
  }
  throw_unknown_dtype(type);
}

/// The dtype of what an element reads as, const or not: float32 for float, const float and packed<float>.
template <element T>
inline constexpr dtype dtype_of = [] {
  auto type = dtype::bool_;
  const auto is_type_of_t = []<class U>() { return traits::is_same<U, value_of<T>>; };
  while (!dispatch(type, is_type_of_t)) type = static_cast<dtype>(static_cast<std::uint8_t>(type) + 1);
  return type;
}();

/// Bytes of one element.
///
/// Errors    std::invalid_argument: a number that is no dtype.
constexpr std::int64_t itemsize(dtype type) {
  return dispatch(type, []<class T>() { return static_cast<std::int64_t>(sizeof(T)); });
}

/// The name that NumPy and PyTorch use: "float32"; "bool" for bool_.
std::string_view name(dtype type);

/// Whether a dtype is a real floating-point type: float16, bfloat16, float32 or float64.
constexpr bool is_floating_point(dtype type) noexcept { return type >= dtype::float16 && type <= dtype::float64; }

/// Whether a dtype is complex64 or complex128.
constexpr bool is_complex(dtype type) noexcept { return type == dtype::complex64 || type == dtype::complex128; }

/// Prints the name.
std::ostream& operator<<(std::ostream& out, dtype type);

}  // namespace tensorplay
