module;
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

module tensorplay.tensor;

namespace tensorplay {
namespace {

[[noreturn]] void throw_out_of_type(dtype type) {
  throw std::invalid_argument{"a number within the range of " + std::string{name(type)} + " was wanted, found one outside it"};
}

/// A double that lies below 2^digits and above the lowest number, so that the conversion is defined.
template <std::integral T>
T integer_from(double value) {
  const auto cut = std::trunc(value);
  const auto limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const auto lowest = std::is_signed_v<T> ? -limit : 0.0;
  if (!(cut >= lowest && cut < limit)) throw_out_of_type(dtype_of<T>);
  return static_cast<T>(cut);
}

template <class T>
T real_from(double value) {
  const auto rounded = static_cast<T>(static_cast<std::conditional_t<sizeof(T) == sizeof(double), double, float>>(value));
  if (std::isfinite(value) && !std::isfinite(static_cast<double>(static_cast<float>(rounded))) && sizeof(T) < sizeof(double)) {
    throw_out_of_type(dtype_of<T>);
  }
  return rounded;
}

template <element T>
T converted(double value) {
  if constexpr (std::same_as<T, bool8_t>) {
    return value != 0;
  } else if constexpr (std::integral<T>) {
    return integer_from<T>(value);
  } else if constexpr (complex_element<T>) {
    return {real_from<typename T::value_type>(value), 0};
  } else {
    return real_from<T>(value);
  }
}

template <element T>
T converted(std::complex<double> value) {
  if constexpr (complex_element<T>) {
    using part = typename T::value_type;
    return {real_from<part>(value.real()), real_from<part>(value.imag())};
  } else {
    if (value.imag() != 0) throw_out_of_type(dtype_of<T>);
    return converted<T>(value.real());
  }
}

template <element T, std::integral Integer>
T converted(Integer value) {
  if constexpr (std::same_as<T, bool8_t>) {
    return value != 0;
  } else if constexpr (std::integral<T>) {
    if constexpr (!std::same_as<Integer, bool>) {
      if (!std::in_range<T>(value)) throw_out_of_type(dtype_of<T>);
    }
    return static_cast<T>(value);
  } else {
    return converted<T>(static_cast<double>(value));
  }
}

}  // namespace

bool scalar::is_bool() const noexcept { return std::holds_alternative<bool>(value_); }

bool scalar::is_integral() const noexcept {
  return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<std::uint64_t>(value_);
}

bool scalar::is_floating_point() const noexcept { return std::holds_alternative<double>(value_); }

bool scalar::is_complex() const noexcept { return std::holds_alternative<std::complex<double>>(value_); }

void scalar::store(dtype type, std::byte* to) const {
  dispatch(type, [&]<class T>() {
    const auto element = std::visit([](auto value) { return converted<T>(value); }, value_);
    std::memcpy(to, &element, sizeof element);
  });
}

}  // namespace tensorplay
