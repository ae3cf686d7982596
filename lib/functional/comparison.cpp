module;
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>

module tensorplay.functional;

import :order;

#include "../vectorized.hpp"

namespace tensorplay::inline functional {
namespace {

void require_one_dtype(const char* function, const any_view& left, const any_view& right) {
  if (left.dtype() != right.dtype()) {
    throw std::invalid_argument{std::string{function} + ": two tensors of one dtype were wanted, found " +
                                std::string{name(left.dtype())} + " and " + std::string{name(right.dtype())}};
  }
}

void require_one_shape(const char* function, const any_view& left, const any_view& right) {
  const auto& one = left.shape();
  const auto& other = right.shape();
  if (one == other) return;
  std::string difference = "of another number of dimensions";
  if (one.size() == other.size()) {
    std::size_t at = 0;
    while (one[at] == other[at]) ++at;
    difference = "which differ in dimension " + std::to_string(at);
  }
  throw std::invalid_argument{std::string{function} + ": two tensors of one shape were wanted, found " + shape_text(one) +
                              " and " + shape_text(other) + ", " + difference};
}

/// Whether a condition of as many elements of both holds for all pieces of two tensors of one shape and dtype.
///
/// holds(const T* one, const T* other, std::int64_t count)
template <class T, class Condition>
bool all_pieces(const any_view& left, const any_view& right, Condition&& holds) {
  piece_reader<T> lefts{left};
  piece_reader<T> rights{right};
  while (lefts.remaining() > 0) {
    const auto count = std::min(lefts.remaining(), piece_numel);
    const auto* one = lefts.read(count);
    const auto* other = rights.read(count);
    if (!holds(one, other, count)) return false;
  }
  return true;
}

template <class T>
[[gnu::always_inline]] inline bool are_equal(T one, T other) {
  if constexpr (half_element<T>) {
    const auto bits = std::bit_cast<std::uint16_t>(one);
    const auto other_bits = std::bit_cast<std::uint16_t>(other);
    const bool are_zeros = ((bits | other_bits) & 0x7fff) == 0;
    return (bits == other_bits && (bits & 0x7fff) <= infinity_bits<T>) || are_zeros;
  } else {
    return static_cast<key<T>>(one) == static_cast<key<T>>(other);
  }
}

template <class Number>
bool is_nan(Number value) {
  return value != value;
}

/// The distance of two integers; exact.
template <std::integral T>
double distance(T one, T other) {
  const auto low = static_cast<std::uint64_t>(one < other ? one : other);
  const auto high = static_cast<std::uint64_t>(one < other ? other : one);
  return static_cast<double>(high - low);
}

template <class T>
bool is_close(T one, T other, const allclose_options& options) {
  const auto within = [&](double apart, double size) { return apart <= options.atol + options.rtol * size; };
  if constexpr (std::same_as<T, bool8_t>) {
    return is_close(std::uint8_t{one}, std::uint8_t{other}, options);
  } else if constexpr (std::integral<T>) {
    return one == other || within(distance(one, other), std::abs(static_cast<double>(other)));
  } else if constexpr (half_element<T>) {
    return is_close(static_cast<float>(one), static_cast<float>(other), options);
  } else {
    if (one == other) return true;
    if (is_nan(one) || is_nan(other)) return options.equal_nan && is_nan(one) && is_nan(other);
    using number = traits::choose<complex_element<T>, std::complex<double>, double>;
    const auto size = std::abs(static_cast<number>(other));
    const auto apart = std::abs(static_cast<number>(one) - static_cast<number>(other));
    return std::isfinite(apart) && std::isfinite(size) && within(apart, size);
  }
}

}  // namespace

bool equal(const any_view& left, const any_view& right) {
  require_one_dtype("equal", left, right);
  if (!(left.shape() == right.shape())) return false;
  return dispatch(left.dtype(), [&]<class T>() {
    return all_pieces<T>(left, right, [](const T* one, const T* other, std::int64_t count) {
      return vectorized([=]() __attribute__((always_inline)) {
        int differing = 0;
        for (std::int64_t at = 0; at < count; ++at) differing |= are_equal(one[at], other[at]) ? 0 : 1;
        return differing == 0;
      });
    });
  });
}

bool allclose(const any_view& left, const any_view& right, allclose_options options) {
  require_one_dtype("allclose", left, right);
  require_one_shape("allclose", left, right);
  return dispatch(left.dtype(), [&]<class T>() {
    return all_pieces<T>(left, right, [&](const T* one, const T* other, std::int64_t count) {
      bool all = true;
      for (std::int64_t at = 0; at < count; ++at) all = all && is_close(one[at], other[at], options);
      return all;
    });
  });
}

}  // namespace tensorplay::inline functional
