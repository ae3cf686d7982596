module;
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <bit>
#include <cstdint>

module tensorplay.tensor;

import :halves;

#include "../halves.hpp"

namespace tensorplay {
namespace {

/// Elements that go in vectors of eight.
constexpr std::int64_t whole_eights(std::int64_t count) { return count / 8 * 8; }

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2,f16c")]] void widen_eights(const T* from, float* to, std::int64_t count) noexcept {
  for (std::int64_t at = 0; at < count; at += 8) _mm256_storeu_ps(to + at, eight_widened(from + at));
}

[[gnu::target("avx2,f16c")]] void narrow_eights(const float* from, float16_t* to, std::int64_t count) noexcept {
  for (std::int64_t at = 0; at < count; at += 8) {
    const auto halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + at), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), halves);
  }
}
#else
template <class T>
void widen_eights(const T* from, float* to, std::int64_t count) noexcept {
  for (std::int64_t at = 0; at < count; ++at) to[at] = widened(from[at]);
}

void narrow_eights(const float* from, float16_t* to, std::int64_t count) noexcept {
  for (std::int64_t at = 0; at < count; ++at) to[at] = static_cast<float16_t>(from[at]);
}
#endif

template <class T>
void widen_halves(const T* from, float* to, std::int64_t count) noexcept {
  std::int64_t at = 0;
  if (has_avx2()) widen_eights(from, to, at = whole_eights(count));
  for (; at < count; ++at) to[at] = widened(from[at]);
}

/// The upper half of a float, rounded. A NaN stays one, and quiet.
[[gnu::always_inline]] inline std::uint16_t upper_half(std::uint32_t bits) noexcept {
  constexpr std::uint32_t infinity{0x7f800000};
  const auto rounded = bits + 0x7fff + (bits >> 16 & 1);
  return static_cast<std::uint16_t>(((bits & 0x7fffffff) > infinity ? bits | 0x400000 : rounded) >> 16);
}

}  // namespace

void widen(const float16_t* from, float* to, std::int64_t count) noexcept { widen_halves(from, to, count); }
void widen(const bfloat16_t* from, float* to, std::int64_t count) noexcept { widen_halves(from, to, count); }

void narrow(const float* from, float16_t* to, std::int64_t count) noexcept {
  std::int64_t at = 0;
  if (has_avx2()) narrow_eights(from, to, at = whole_eights(count));
  for (; at < count; ++at) to[at] = static_cast<float16_t>(from[at]);
}

void narrow(const float* from, bfloat16_t* to, std::int64_t count) noexcept {
  vectorized([=]() __attribute__((always_inline)) {
    for (std::int64_t at = 0; at < count; ++at) {
      to[at] = std::bit_cast<bfloat16_t>(upper_half(std::bit_cast<std::uint32_t>(from[at])));
    }
  });
}

}  // namespace tensorplay
