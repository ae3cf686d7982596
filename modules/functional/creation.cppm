module;
#if !defined(__clang__)
#include <array>
#include <cstddef>
#include <cstdint>
#endif

export module tensorplay.functional:creation;

import tensorplay.standard;
import tensorplay.storage;
import tensorplay.tensor;
import :options;

namespace tensorplay::inline functional {

/// Steps from start to stop, stop left out.
///
/// Errors    std::invalid_argument: step is zero or leads away from stop, or a number is not finite.
std::int64_t arange_numel(std::int64_t start, std::int64_t stop, std::int64_t step);
std::int64_t arange_numel(double start, double stop, double step);

/// start + at * step; the product of integers may leave their range although the sum does not.
constexpr std::int64_t arange_value(std::int64_t start, std::int64_t step, std::int64_t at) noexcept {
  const auto way = static_cast<std::uint64_t>(at) * static_cast<std::uint64_t>(step);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(start) + way);
}
constexpr double arange_value(double start, double step, std::int64_t at) noexcept {
  return start + static_cast<double>(at) * step;
}

/// Heap memory for a shape on the default device.
///
/// Errors    std::invalid_argument: the shape, or a default device that is not the CPU.
storage allocate_elements(const char* function, const dims& shape, dtype type);

template <element T>
using number = traits::choose<traits::counting<T>, std::int64_t, double>;

}  // namespace tensorplay::inline functional

export namespace tensorplay::inline functional {

/// A real element type, for arange.
template <class T>
concept real_element = native_element<T> && !complex_element<T> && !traits::same<T, bool8_t>;

/// A tensor in memory, its elements undefined. Run-time dtype: `empty({2, 5}, {.dtype = tp::float64})`.
///
/// Errors    std::invalid_argument: options that can never work, a negative dimension, bytes that overflow. std::bad_alloc.
/// Source    tensorplay.empty
any_tensor empty(const dims& shape, tensor_options options = {});

/// All zero.
any_tensor zeros(const dims& shape, tensor_options options = {});

/// All one.
any_tensor ones(const dims& shape, tensor_options options = {});

/// All value. Without a dtype: that of the value, bool_ or int64, the default dtype, or the complex one of twice its size.
///
/// Errors    also std::invalid_argument: the value lies outside the range of the dtype.
any_tensor full(const dims& shape, scalar value, tensor_options options = {});

/// start, start + step, and so on below stop. Without a dtype: int64 where all three are integers, else the default dtype.
///
/// Shape     (ceil((stop - start) / step),)
/// Errors    std::invalid_argument: step is zero or leads away from stop; complex numbers; a number that the dtype cannot hold.
any_tensor arange(scalar start, scalar stop, scalar step = 1, tensor_options options = {});
any_tensor arange(scalar stop, tensor_options options = {});

/// The same with compile-time dtype and rank: `empty<double>(2, 5)`. The element type is always written out: `full({2, 5}, 1)` is the
/// run-time one.
template <element T, std::size_t Rank>
tensor<T, Rank> empty(const std::array<std::int64_t, Rank>& shape) {
  return {allocate_elements("empty", shape, dtype_of<T>), shape};
}
template <element T, traits::counting... Extent>
tensor<T, sizeof...(Extent)> empty(Extent... extent) {
  return empty<T>(std::array<std::int64_t, sizeof...(Extent)>{static_cast<std::int64_t>(extent)...});
}

/// All value.
template <element T, std::size_t Rank>
tensor<T, Rank> full(const std::array<std::int64_t, Rank>& shape, traits::given<T> value) {
  auto filled = empty<T>(shape);
  for (auto& element : filled) element = value;
  return filled;
}
template <element T, std::size_t Rank>
tensor<T, Rank> full(const std::int64_t (&shape)[Rank], traits::given<T> value) {
  return full<T>(traits::to_array(shape), value);
}

/// All zero.
template <element T, traits::counting... Extent>
tensor<T, sizeof...(Extent)> zeros(Extent... extent) {
  return full<T>(std::array<std::int64_t, sizeof...(Extent)>{static_cast<std::int64_t>(extent)...}, T{});
}

/// All one.
template <element T, traits::counting... Extent>
tensor<T, sizeof...(Extent)> ones(Extent... extent) {
  return full<T>(std::array<std::int64_t, sizeof...(Extent)>{static_cast<std::int64_t>(extent)...}, static_cast<T>(1));
}

/// start, start + step, and so on below stop.
template <real_element T>
tensor<T> arange(traits::given<T> start, traits::given<T> stop, traits::given<T> step = static_cast<T>(1)) {
  const auto first = static_cast<number<T>>(start);
  const auto apart = static_cast<number<T>>(step);
  auto filled = empty<T>(arange_numel(first, static_cast<number<T>>(stop), apart));
  for (std::int64_t at = 0; auto& value : filled) value = static_cast<T>(arange_value(first, apart, at++));
  return filled;
}
template <real_element T>
tensor<T> arange(traits::given<T> stop) {
  return arange<T>(T{}, stop);
}

}  // namespace tensorplay::inline functional
