module;
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

module tensorplay.functional;

namespace tensorplay::inline functional {
namespace {

/// Copies one element over the bytes behind it.
void repeat_first_element(std::byte* first, std::size_t itemsize, std::size_t nbytes) {
  for (std::size_t filled = itemsize; filled < nbytes; filled *= 2) {
    std::memcpy(first + filled, first, std::min(filled, nbytes - filled));
  }
}

dtype dtype_for(const scalar& value) {
  if (value.is_bool()) return bool_;
  if (value.is_integral()) return int64;
  if (value.is_complex()) return get_default_dtype() == float64 ? complex128 : complex64;
  return get_default_dtype();
}

[[noreturn]] void throw_bad_range(const std::string& start, const std::string& stop, const std::string& step) {
  throw std::invalid_argument{"arange: finite numbers and a step that leads from start to stop were wanted, found start " +
                              start + ", stop " + stop + ", step " + step};
}

std::uint64_t distance(std::int64_t low, std::int64_t high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

}  // namespace

std::int64_t arange_numel(std::int64_t start, std::int64_t stop, std::int64_t step) {
  const bool leads_there = step > 0 ? stop >= start : step < 0 && stop <= start;
  if (!leads_there) throw_bad_range(std::to_string(start), std::to_string(stop), std::to_string(step));
  const auto way = step > 0 ? distance(start, stop) : distance(stop, start);
  const auto stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const auto count = way / stride + (way % stride != 0 ? 1 : 0);
  // More than fits cannot be allocated either; the largest count makes the allocation say so.
  return static_cast<std::int64_t>(std::min<std::uint64_t>(count, std::numeric_limits<std::int64_t>::max()));
}

std::int64_t arange_numel(double start, double stop, double step) {
  const auto count = std::ceil((stop - start) / step);
  const bool leads_there = std::isfinite(start) && std::isfinite(stop) && std::isfinite(count) && count >= 0 && step != 0;
  if (!leads_there) throw_bad_range(std::to_string(start), std::to_string(stop), std::to_string(step));
  return count < 0x1p63 ? static_cast<std::int64_t>(count) : std::numeric_limits<std::int64_t>::max();
}

storage allocate_elements(const char* function, const dims& shape, dtype type) {
  judge(function, {.dtype = type});
  return allocate(end_in_bytes(numel_of(shape), itemsize(type)));
}

any_tensor empty(const dims& shape, tensor_options options) {
  const auto type = judge("empty", options);
  return {allocate(end_in_bytes(numel_of(shape), itemsize(type))), type, shape};
}

any_tensor zeros(const dims& shape, tensor_options options) {
  const auto type = judge("zeros", options);
  return {allocate_zeroed(end_in_bytes(numel_of(shape), itemsize(type))), type, shape};
}

any_tensor ones(const dims& shape, tensor_options options) {
  options.dtype = options.dtype.value_or(get_default_dtype());
  return full(shape, 1, options);
}

any_tensor full(const dims& shape, scalar value, tensor_options options) {
  options.dtype = options.dtype.value_or(dtype_for(value));
  const auto type = judge("full", options);
  const auto bytes = allocate(end_in_bytes(numel_of(shape), itemsize(type)));
  if (bytes.nbytes() > 0) {
    value.store(type, bytes.mutable_data());
    repeat_first_element(bytes.mutable_data(), static_cast<std::size_t>(itemsize(type)),
                         static_cast<std::size_t>(bytes.nbytes()));
  }
  return {bytes, type, shape};
}

any_tensor arange(scalar start, scalar stop, scalar step, tensor_options options) {
  const auto is_integer = [](const scalar& value) { return value.is_bool() || value.is_integral(); };
  const bool all_integers = is_integer(start) && is_integer(stop) && is_integer(step);
  options.dtype = options.dtype.value_or(all_integers ? int64 : get_default_dtype());
  return dispatch(judge("arange", options), [&]<class T>() -> any_tensor {
    if constexpr (real_element<T>) {
      return arange<T>(start.to<T>(), stop.to<T>(), step.to<T>());
    } else {
      throw std::invalid_argument{"arange: a real dtype was wanted, found " + std::string{name(dtype_of<T>)}};
    }
  });
}

any_tensor arange(scalar stop, tensor_options options) {
  return stop.is_floating_point() ? arange(0.0, stop, 1.0, options) : arange(0, stop, 1, options);
}

}  // namespace tensorplay::inline functional
