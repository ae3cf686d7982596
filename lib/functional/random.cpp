module;
#include <boost/random/mersenne_twister.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>

module tensorplay.functional;

import :ziggurat;

namespace tensorplay::inline functional {
namespace {

using engine = boost::random::mt19937_64;

std::uint64_t seed_of_this_process() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

std::mutex generator_lock;
engine generator{seed_of_this_process()};

template <class T>
constexpr bool is_complex_type = one_of<T, std::complex<float>, std::complex<double>>;

/// Significant bits of a floating-point type.
template <class T>
constexpr int digits = std::numeric_limits<T>::digits;
template <>
constexpr int digits<float16_t> = 11;
template <>
constexpr int digits<bfloat16_t> = 8;

template <class T>
T uniform() {
  if constexpr (is_complex_type<T>) {
    const auto real = uniform<typename T::value_type>();
    return {real, uniform<typename T::value_type>()};
  } else {
    // As many bits as the type holds: none is rounded, so that no number becomes 1.
    const auto bits = generator() >> (64 - digits<T>);
    using wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    return static_cast<T>(static_cast<wide>(bits) * fraction<wide, digits<T>>);
  }
}

/// Random words of 32 or 64 bits.
template <class Word, std::size_t Count>
void draw(std::array<Word, Count>& words, std::size_t count) {
  for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t) / sizeof(Word)) {
    const auto drawn = generator();
    words[at] = static_cast<Word>(drawn);
    if constexpr (sizeof(Word) == 4) words[at + 1] = static_cast<Word>(drawn >> 32);
  }
}

template <class T>
void fill_normal(T* elements, std::int64_t numel) {
  if constexpr (is_complex_type<T>) {
    using part = typename T::value_type;
    fill_normal(reinterpret_cast<part*>(elements), 2 * numel);
    constexpr auto deviation = 1 / std::numbers::sqrt2_v<part>;
    for (std::int64_t at = 0; at < numel; ++at) elements[at] *= deviation;
  } else {
    using wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    using word = normal_draw<wide>::word;
    std::array<word, 512> words;
    constexpr auto most = static_cast<std::int64_t>(words.size());
    for (std::int64_t done = 0; done < numel; done += most) {
      const auto count = static_cast<std::size_t>(std::min(numel - done, most));
      draw(words, count);
      auto* to = elements + done;
      for (std::size_t at = 0; at < count; ++at) to[at] = static_cast<T>(normal_of<wide>(words[at], generator));
    }
  }
}

template <class Fill>
void fill(std::byte* first, std::int64_t numel, dtype type, Fill fill_elements) {
  dispatch(type, [&]<class T>() {
    if constexpr (random_element<T>) {
      const std::scoped_lock one_at_a_time{generator_lock};
      fill_elements(reinterpret_cast<T*>(first), numel);
    }
  });
}

any_tensor empty_random(const char* function, const dims& shape, tensor_options options) {
  const auto type = judge(function, options);
  if (!is_floating_point(type) && !is_complex(type)) {
    throw std::invalid_argument{std::string{function} + ": a floating-point or complex dtype was wanted, found " +
                                std::string{name(type)}};
  }
  return empty(shape, options);
}

std::byte* bytes_of(const any_tensor& tensor) { return tensor.storage().mutable_data(); }

}  // namespace

void fill_uniform(std::byte* first, std::int64_t numel, dtype type) {
  fill(first, numel, type, []<class T>(T* elements, std::int64_t count) {
    for (std::int64_t at = 0; at < count; ++at) elements[at] = uniform<T>();
  });
}

void fill_normal(std::byte* first, std::int64_t numel, dtype type) {
  fill(first, numel, type, []<class T>(T* elements, std::int64_t count) { fill_normal(elements, count); });
}

void manual_seed(std::uint64_t seed) {
  const std::scoped_lock one_at_a_time{generator_lock};
  generator.seed(seed);
}

any_tensor rand(const dims& shape, tensor_options options) {
  auto filled = empty_random("rand", shape, options);
  fill_uniform(bytes_of(filled), filled.numel(), filled.dtype());
  return filled;
}

any_tensor randn(const dims& shape, tensor_options options) {
  auto filled = empty_random("randn", shape, options);
  fill_normal(bytes_of(filled), filled.numel(), filled.dtype());
  return filled;
}

}  // namespace tensorplay::inline functional
