module;
#if !defined(__clang__)
#include <cstddef>
#include <cstdint>
#endif

export module tensorplay.functional:random;

import tensorplay.standard;
import tensorplay.tensor;
import :creation;
import :options;

namespace tensorplay::inline functional {

void fill_uniform(std::byte* first, std::int64_t numel, dtype type);
void fill_normal(std::byte* first, std::int64_t numel, dtype type);

}  // namespace tensorplay::inline functional

export namespace tensorplay::inline functional {

/// An element type that random numbers can have: floating-point or complex.
template <class T>
concept random_element = half_element<T> || complex_element<T> || one_of<T, float, double>;

/// Starts the random numbers again: the same seed gives the same numbers with every compiler and standard library.
///
/// Threads   process-wide, safe to call from any thread. Unseeded, every process has other numbers.
/// Source    tensorplay.manual_seed
void manual_seed(std::uint64_t seed);

/// Uniform random numbers in [0, 1); complex ones in both parts.
///
/// Errors    std::invalid_argument: an integral dtype, and as empty.
/// Source    tensorplay.rand. Mersenne Twister of 64 bits; each number takes the bits that its type has room for.
any_tensor rand(const dims& shape, tensor_options options = {});

/// Normal random numbers of mean 0 and variance 1; complex ones of variance 1/2 in each part.
///
/// Errors    std::invalid_argument: an integral dtype, and as empty.
/// Source    tensorplay.randn. Marsaglia and Tsang's ziggurat over the same Mersenne Twister; float32 and the half types take 32 bits.
any_tensor randn(const dims& shape, tensor_options options = {});

/// The same with compile-time dtype and rank: `rand<double>(2, 5)`.
template <random_element T, traits::counting... Extent>
tensor<T, sizeof...(Extent)> rand(Extent... extent) {
  auto filled = empty<T>(extent...);
  fill_uniform(reinterpret_cast<std::byte*>(filled.data()), filled.numel(), dtype_of<T>);
  return filled;
}

/// The same with compile-time dtype and rank: `randn<double>(2, 5)`.
template <random_element T, traits::counting... Extent>
tensor<T, sizeof...(Extent)> randn(Extent... extent) {
  auto filled = empty<T>(extent...);
  fill_normal(reinterpret_cast<std::byte*>(filled.data()), filled.numel(), dtype_of<T>);
  return filled;
}

}  // namespace tensorplay::inline functional
