module;
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

module tensorplay.functional;

import :order;
import :vectors;

#include "extremes.hpp"
#include "summation.hpp"

namespace tensorplay::inline functional {
namespace {

/// The type in which a mean is calculated.
template <class T>
using mean_wide = traits::choose<whole_element<T>, double, wide<T>>;

template <class T>
mean_of<T> mean_value(const any_view& elements) {
  using result = mean_of<T>;
  const auto sum = plain_sum<mean_wide<T>, T>(elements);
  return static_cast<result>(sum / static_cast<mean_wide<T>>(static_cast<double>(elements.numel())));
}

double square(double distance) { return distance * distance; }
double square(std::complex<double> distance) { return std::norm(distance); }

template <class T>
double variance(const any_view& elements, std::int64_t correction) {
  using number = traits::choose<complex_element<T>, std::complex<double>, double>;
  const auto divisor = static_cast<double>(std::max<std::int64_t>(elements.numel() - correction, 0));
  const auto mean = plain_sum<number, T>(elements) / static_cast<double>(elements.numel());
  return sum_of_terms<double, T>(elements, [&](auto value) { return square(as_wide<number>(value) - mean); }) / divisor;
}

const char* name(reduction kind) {
  switch (kind) {
    case reduction::sum: return "sum";
    case reduction::mean: return "mean";
    case reduction::var: return "var";
    case reduction::std: return "std";
    case reduction::min: return "min";
    case reduction::max: return "max";
    case reduction::minmax: return "minmax";
    case reduction::argmin: return "argmin";
    case reduction::argmax: return "argmax";
    case reduction::count_nonzero: return "count_nonzero";
  }
  return "reduction";
}

bool needs_elements(reduction kind) { return kind >= reduction::min && kind <= reduction::argmax; }

void require_ordered(reduction kind, dtype type) {
  if (needs_elements(kind) && is_complex(type)) {
    throw std::invalid_argument{std::string{name(kind)} + ": elements that have an order were wanted, found " +
                                std::string{name(type)}};
  }
}

void require_some(reduction kind, const any_view& elements) {
  if (needs_elements(kind) && elements.numel() == 0) {
    throw std::invalid_argument{std::string{name(kind)} + ": at least one element was wanted, found the shape " +
                                shape_text(elements.shape())};
  }
}

template <class T>
void put(std::byte* result, const T& value) {
  std::memcpy(result, &value, sizeof value);
}

template <class T>
void reduce_elements(reduction kind, const any_view& elements, std::byte* result, std::int64_t correction) {
  switch (kind) {
    case reduction::sum: return put(result, static_cast<sum_of<T>>(plain_sum<wide<T>, T>(elements)));
    case reduction::mean: return put(result, mean_value<T>(elements));
    case reduction::var: return put(result, static_cast<var_of<T>>(variance<T>(elements, correction)));
    case reduction::std: return put(result, static_cast<var_of<T>>(std::sqrt(variance<T>(elements, correction))));
    case reduction::count_nonzero: return put(result, nonzero_count<T>(elements));
    default: break;
  }
  if constexpr (!complex_element<T>) {
    switch (kind) {
      case reduction::min: return put(result, extreme_value<T, false>(elements));
      case reduction::max: return put(result, extreme_value<T, true>(elements));
      case reduction::minmax: return put(result, extreme_values<T>(elements));
      case reduction::argmin: return put(result, index_of_extreme<T, false>(elements));
      case reduction::argmax: return put(result, index_of_extreme<T, true>(elements));
      default: break;
    }
  }
}

/// The dtype of a reduction's value; of minmax, that of each.
dtype result_dtype(reduction kind, dtype type) {
  return dispatch(type, [&]<class T>() {
    switch (kind) {
      case reduction::sum: return dtype_of<sum_of<T>>;
      case reduction::mean: return dtype_of<mean_of<T>>;
      case reduction::var:
      case reduction::std: return dtype_of<var_of<T>>;
      case reduction::min:
      case reduction::max:
      case reduction::minmax: return dtype_of<T>;
      default: return int64;
    }
  });
}

scalar scalar_from(dtype type, const std::byte* bytes) {
  return dispatch(type, [&]<class T>() -> scalar {
    T value{};
    std::memcpy(&value, bytes, sizeof value);
    return value;
  });
}

scalar reduce_to_scalar(reduction kind, const any_view& elements, std::int64_t correction = 1) {
  std::array<std::byte, sizeof(std::complex<double>)> result{};
  reduce(kind, elements, result.data(), correction);
  return scalar_from(result_dtype(kind, elements.dtype()), result.data());
}

void require_vectors(const any_view& left, const any_view& right) {
  if (left.dim() != 1 || right.dim() != 1 || left.numel() != right.numel()) {
    throw std::invalid_argument{"dot: two tensors of one dimension and one length were wanted, found the shapes " +
                                shape_text(left.shape()) + " and " + shape_text(right.shape())};
  }
  if (left.dtype() != right.dtype()) {
    throw std::invalid_argument{"dot: two tensors of one dtype were wanted, found " + std::string{name(left.dtype())} + " and " +
                                std::string{name(right.dtype())}};
  }
}

}  // namespace

void reduce(reduction kind, const any_view& elements, std::byte* result, std::int64_t correction) {
  require_ordered(kind, elements.dtype());
  require_some(kind, elements);
  dispatch(elements.dtype(), [&]<class T>() { reduce_elements<T>(kind, elements, result, correction); });
}

any_tensor reduce(reduction kind, const any_view& elements, std::int64_t dimension, std::int64_t correction) {
  require_ordered(kind, elements.dtype());
  const auto at = resolve_dimension(dimension, elements.shape());
  const auto type = result_dtype(kind, elements.dtype());
  const auto outer_shape = elements.shape().without(at);
  auto reduced_to = empty(outer_shape, {.dtype = type, .device = device{}});
  if (reduced_to.numel() == 0) return reduced_to;
  if (elements.shape()[at] == 0) require_some(kind, elements);

  const auto row_at = [&](std::byte* first) {
    return any_view{first, elements.dtype(), elements.encoding(), false, {elements.shape()[at]}, {elements.strides()[at]}};
  };
  const any_view firsts{const_cast<std::byte*>(elements.data()), elements.dtype(), elements.encoding(), false, outer_shape,
                        elements.strides().without(at)};
  auto* result = reduced_to.mutable_data();
  for (element_walk walk{firsts}; walk.remaining() > 0; walk.advance(1), result += itemsize(type)) {
    reduce(kind, row_at(walk.data()), result, correction);
  }
  return reduced_to;
}

void store_dot(const any_view& left, const any_view& right, std::byte* result) {
  require_vectors(left, right);
  dispatch(left.dtype(), [&]<class T>() {
    pairwise<wide<T>> sums;
    piece_reader<T> lefts{left};
    piece_reader<T> rights{right};
    widened_elements<T> wide_lefts;
    widened_elements<T> wide_rights;
    while (lefts.remaining() > 0) {
      const auto direct = std::max(std::min(lefts.run(), rights.run()), std::min(lefts.remaining(), piece_numel));
      const auto count = std::min(direct, widened_elements<T>::most);
      const auto* one = wide_lefts.read(lefts.read(count), count);
      const auto* other = wide_rights.read(rights.read(count), count);
      vectorized([&]() __attribute__((always_inline)) {
        add_blocks<wide<T>>(sums, count, sizeof *one, [&](std::int64_t at) __attribute__((always_inline)) {
          return as_wide<wide<T>>(one[at]) * as_wide<wide<T>>(other[at]);
        });
      });
    }
    put(result, static_cast<sum_of<T>>(sums.total()));
  });
}

scalar dot(const any_view& left, const any_view& right) {
  std::array<std::byte, sizeof(std::complex<double>)> result{};
  store_dot(left, right, result.data());
  return scalar_from(result_dtype(reduction::sum, left.dtype()), result.data());
}

scalar sum(const any_view& elements) { return reduce_to_scalar(reduction::sum, elements); }
scalar mean(const any_view& elements) { return reduce_to_scalar(reduction::mean, elements); }
scalar var(const any_view& elements, var_options options) {
  return reduce_to_scalar(reduction::var, elements, options.correction);
}
scalar std(const any_view& elements, var_options options) {
  return reduce_to_scalar(reduction::std, elements, options.correction);
}
scalar min(const any_view& elements) { return reduce_to_scalar(reduction::min, elements); }
scalar max(const any_view& elements) { return reduce_to_scalar(reduction::max, elements); }
minmax_result<scalar> minmax(const any_view& elements) { return {min(elements), max(elements)}; }
std::int64_t argmin(const any_view& elements) { return reduce_to<std::int64_t>(reduction::argmin, elements); }
std::int64_t argmax(const any_view& elements) { return reduce_to<std::int64_t>(reduction::argmax, elements); }
std::int64_t count_nonzero(const any_view& elements) { return reduce_to<std::int64_t>(reduction::count_nonzero, elements); }

any_tensor sum(const any_view& elements, std::int64_t dimension) { return reduce(reduction::sum, elements, dimension); }
any_tensor mean(const any_view& elements, std::int64_t dimension) { return reduce(reduction::mean, elements, dimension); }
any_tensor var(const any_view& elements, std::int64_t dimension, var_options options) {
  return reduce(reduction::var, elements, dimension, options.correction);
}
any_tensor std(const any_view& elements, std::int64_t dimension, var_options options) {
  return reduce(reduction::std, elements, dimension, options.correction);
}
any_tensor min(const any_view& elements, std::int64_t dimension) { return reduce(reduction::min, elements, dimension); }
any_tensor max(const any_view& elements, std::int64_t dimension) { return reduce(reduction::max, elements, dimension); }
minmax_result<any_tensor> minmax(const any_view& elements, std::int64_t dimension) {
  return {min(elements, dimension), max(elements, dimension)};
}
any_tensor argmin(const any_view& elements, std::int64_t dimension) { return reduce(reduction::argmin, elements, dimension); }
any_tensor argmax(const any_view& elements, std::int64_t dimension) { return reduce(reduction::argmax, elements, dimension); }
any_tensor count_nonzero(const any_view& elements, std::int64_t dimension) {
  return reduce(reduction::count_nonzero, elements, dimension);
}

}  // namespace tensorplay::inline functional
