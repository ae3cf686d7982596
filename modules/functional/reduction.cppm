module;
#if !defined(__clang__)
#include <cstddef>
#include <cstdint>
#endif

export module tensorplay.functional:reduction;

import tensorplay.standard;
import tensorplay.tensor;

namespace tensorplay::inline functional {

/// What a reduction's result is made of.
enum class reduction : std::uint8_t { sum, mean, var, std, min, max, minmax, argmin, argmax, count_nonzero };

/// Reduces all elements; result is that many bytes of the reduction's type.
///
/// Errors    std::invalid_argument: a reduction that has no value without elements, or none of complex numbers.
void reduce(reduction kind, const any_view& elements, std::byte* result, std::int64_t correction = 1);

/// Reduces one dimension; the result has the shape of the others.
any_tensor reduce(reduction kind, const any_view& elements, std::int64_t dimension, std::int64_t correction = 1);

template <class Result>
Result reduce_to(reduction kind, const any_view& elements, std::int64_t correction = 1) {
  Result result{};
  reduce(kind, elements, reinterpret_cast<std::byte*>(&result), correction);
  return result;
}

void store_dot(const any_view& left, const any_view& right, std::byte* result);

}  // namespace tensorplay::inline functional

export namespace tensorplay::inline functional {

/// bool or an integer.
template <class T>
concept whole_element = traits::counting<T> || traits::same<T, bool8_t>;

/// The type of a mean: double for bool and integers, float for the half types, otherwise that of the elements.
template <element T>
using mean_of = traits::choose<whole_element<value_of<T>>, double, traits::choose<half_element<value_of<T>>, float, value_of<T>>>;

/// The type of a sum: std::int64_t for bool and integers, std::uint64_t for std::uint64_t, otherwise as mean_of.
template <element T>
using sum_of = traits::choose<traits::same<value_of<T>, std::uint64_t>, std::uint64_t,
                              traits::choose<whole_element<value_of<T>>, std::int64_t, mean_of<T>>>;

/// The type of a variance: as mean_of, and of a complex number that of its parts.
template <element T>
using var_of = traits::choose<traits::same<value_of<T>, complex64_t>, float,
                              traits::choose<traits::same<value_of<T>, complex128_t>, double, mean_of<T>>>;

/// An element type that has an order: all but the complex ones.
template <class T>
concept ordered_element = element<T> && !complex_element<value_of<T>>;

/// The sum of all elements; zero of none. Integers wrap modulo 2^64.
///
/// Error bound  float32: as a sum in float64, rounded once. float64 and the half types (which add in float32): pairwise, within
///              (log2(numel) + 130) * epsilon * sum of magnitudes.
/// Source       tensorplay.sum
template <element T, std::size_t Rank, memory_format Format>
sum_of<T> sum(const tensor_view<T, Rank, Format>& elements) {
  return reduce_to<sum_of<T>>(reduction::sum, elements);
}
scalar sum(const any_view& elements);

/// Sums along one dimension, which is dropped.
///
/// Errors    std::out_of_range: no such dimension.
template <element T, std::size_t Rank, memory_format Format>
tensor<sum_of<T>, Rank - 1> sum(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension) {
  return reduce(reduction::sum, elements, dimension, 0).template as<sum_of<T>, Rank - 1>();
}
any_tensor sum(const any_view& elements, std::int64_t dimension);

/// The mean of all elements; NaN of none. Integers are added in float64.
///
/// Error bound  that of sum, and one rounding.
/// Source       tensorplay.mean; of integers as numpy.mean
template <element T, std::size_t Rank, memory_format Format>
mean_of<T> mean(const tensor_view<T, Rank, Format>& elements) {
  return reduce_to<mean_of<T>>(reduction::mean, elements);
}
scalar mean(const any_view& elements);
template <element T, std::size_t Rank, memory_format Format>
tensor<mean_of<T>, Rank - 1> mean(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension) {
  return reduce(reduction::mean, elements, dimension, 0).template as<mean_of<T>, Rank - 1>();
}
any_tensor mean(const any_view& elements, std::int64_t dimension);

/// The keyword argument of var and std: `var(t, {.correction = 0})`.
struct var_options {
  std::int64_t correction = 1;  ///< 1 for a sample, 0 for a whole population
};

/// The variance: the sum of squared distances to the mean over max(0, numel - correction); over zero it is NaN or infinite, by IEEE 754.
/// Two passes, both in float64.
///
/// Error bound  that of a float64 sum and one rounding.
/// Source       tensorplay.var; of integers as numpy.var
template <element T, std::size_t Rank, memory_format Format>
var_of<T> var(const tensor_view<T, Rank, Format>& elements, var_options options = {}) {
  return reduce_to<var_of<T>>(reduction::var, elements, options.correction);
}
scalar var(const any_view& elements, var_options options = {});
template <element T, std::size_t Rank, memory_format Format>
tensor<var_of<T>, Rank - 1> var(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension, var_options options = {}) {
  return reduce(reduction::var, elements, dimension, options.correction).template as<var_of<T>, Rank - 1>();
}
any_tensor var(const any_view& elements, std::int64_t dimension, var_options options = {});

/// The square root of var().
///
/// Source    tensorplay.std
template <element T, std::size_t Rank, memory_format Format>
var_of<T> std(const tensor_view<T, Rank, Format>& elements, var_options options = {}) {
  return reduce_to<var_of<T>>(reduction::std, elements, options.correction);
}
scalar std(const any_view& elements, var_options options = {});
template <element T, std::size_t Rank, memory_format Format>
tensor<var_of<T>, Rank - 1> std(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension, var_options options = {}) {
  return reduce(reduction::std, elements, dimension, options.correction).template as<var_of<T>, Rank - 1>();
}
any_tensor std(const any_view& elements, std::int64_t dimension, var_options options = {});

/// The smallest element; NaN where one is NaN.
///
/// Errors    std::invalid_argument: no elements, or complex ones.
/// Source    tensorplay.min; with a dimension tensorplay.amin, which gives no indices
template <ordered_element T, std::size_t Rank, memory_format Format>
value_of<T> min(const tensor_view<T, Rank, Format>& elements) {
  return reduce_to<value_of<T>>(reduction::min, elements);
}
scalar min(const any_view& elements);
template <ordered_element T, std::size_t Rank, memory_format Format>
tensor<value_of<T>, Rank - 1> min(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension) {
  return reduce(reduction::min, elements, dimension).template as<value_of<T>, Rank - 1>();
}
any_tensor min(const any_view& elements, std::int64_t dimension);

/// The largest element; NaN where one is NaN.
///
/// Errors    std::invalid_argument: no elements, or complex ones.
/// Source    tensorplay.max; with a dimension tensorplay.amax, which gives no indices
template <ordered_element T, std::size_t Rank, memory_format Format>
value_of<T> max(const tensor_view<T, Rank, Format>& elements) {
  return reduce_to<value_of<T>>(reduction::max, elements);
}
scalar max(const any_view& elements);
template <ordered_element T, std::size_t Rank, memory_format Format>
tensor<value_of<T>, Rank - 1> max(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension) {
  return reduce(reduction::max, elements, dimension).template as<value_of<T>, Rank - 1>();
}
any_tensor max(const any_view& elements, std::int64_t dimension);

/// What minmax gives.
template <class T>
struct minmax_result {
  T min;
  T max;
};

/// The smallest and the largest element, in one pass.
///
/// Errors    std::invalid_argument: no elements, or complex ones.
/// Source    tensorplay.aminmax
template <ordered_element T, std::size_t Rank, memory_format Format>
minmax_result<value_of<T>> minmax(const tensor_view<T, Rank, Format>& elements) {
  return reduce_to<minmax_result<value_of<T>>>(reduction::minmax, elements);
}
minmax_result<scalar> minmax(const any_view& elements);
template <ordered_element T, std::size_t Rank, memory_format Format>
minmax_result<tensor<value_of<T>, Rank - 1>> minmax(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension) {
  return {min(elements, dimension), max(elements, dimension)};
}
minmax_result<any_tensor> minmax(const any_view& elements, std::int64_t dimension);

/// The index of the smallest element in row-major order, or along one dimension; the first of equal ones, and of the first NaN.
///
/// Errors    std::invalid_argument: no elements, or complex ones.
/// Source    tensorplay.argmin
template <ordered_element T, std::size_t Rank, memory_format Format>
std::int64_t argmin(const tensor_view<T, Rank, Format>& elements) {
  return reduce_to<std::int64_t>(reduction::argmin, elements);
}
std::int64_t argmin(const any_view& elements);
template <ordered_element T, std::size_t Rank, memory_format Format>
tensor<std::int64_t, Rank - 1> argmin(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension) {
  return reduce(reduction::argmin, elements, dimension).template as<std::int64_t, Rank - 1>();
}
any_tensor argmin(const any_view& elements, std::int64_t dimension);

/// The index of the largest element in row-major order, or along one dimension; the first of equal ones, and of the first NaN.
///
/// Errors    std::invalid_argument: no elements, or complex ones.
/// Source    tensorplay.argmax
template <ordered_element T, std::size_t Rank, memory_format Format>
std::int64_t argmax(const tensor_view<T, Rank, Format>& elements) {
  return reduce_to<std::int64_t>(reduction::argmax, elements);
}
std::int64_t argmax(const any_view& elements);
template <ordered_element T, std::size_t Rank, memory_format Format>
tensor<std::int64_t, Rank - 1> argmax(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension) {
  return reduce(reduction::argmax, elements, dimension).template as<std::int64_t, Rank - 1>();
}
any_tensor argmax(const any_view& elements, std::int64_t dimension);

/// How many elements differ from zero, as NaN does.
///
/// Source    tensorplay.count_nonzero
template <element T, std::size_t Rank, memory_format Format>
std::int64_t count_nonzero(const tensor_view<T, Rank, Format>& elements) {
  return reduce_to<std::int64_t>(reduction::count_nonzero, elements);
}
std::int64_t count_nonzero(const any_view& elements);
template <element T, std::size_t Rank, memory_format Format>
tensor<std::int64_t, Rank - 1> count_nonzero(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension) {
  return reduce(reduction::count_nonzero, elements, dimension).template as<std::int64_t, Rank - 1>();
}
any_tensor count_nonzero(const any_view& elements, std::int64_t dimension);

/// The sum of the products of two one-dimensional tensors; of complex ones without conjugation.
///
/// Errors       std::invalid_argument: another rank, another length, another dtype.
/// Error bound  float32: as in float64, rounded once. float64 and the half types: pairwise, as sum() of the rounded products.
/// Source       tensorplay.dot
template <element T, element U, memory_format Left, memory_format Right>
  requires traits::same<value_of<T>, value_of<U>>
sum_of<T> dot(const tensor_view<T, 1, Left>& left, const tensor_view<U, 1, Right>& right) {
  sum_of<T> result{};
  store_dot(left, right, reinterpret_cast<std::byte*>(&result));
  return result;
}
scalar dot(const any_view& left, const any_view& right);

}  // namespace tensorplay::inline functional
