#pragma once
// Included by implementation units behind their imports; where they are for x86-64, <immintrin.h> is too. <bit> and <cstdint> are.
#include "vectorized.hpp"

namespace tensorplay {

/// By integer arithmetic, which every processor has: the exponent moves to its place, and numbers below 2^-14 lose the leading one
/// that they got there.
inline float widened(float16_t value) noexcept {
  constexpr std::uint32_t shift{112u << 23};
  constexpr std::uint32_t infinity{0x1fu << 23};
  constexpr std::uint32_t smallest_normal{1u << 23};
  constexpr std::uint32_t quiet{1u << 22};
  const auto half = std::bit_cast<std::uint16_t>(value);
  const auto magnitude = (half & 0x7fffu) << 13;
  const bool is_small = magnitude < smallest_normal;
  const auto bits = magnitude + shift + (magnitude >= infinity ? shift : 0) + (is_small ? smallest_normal : 0);
  const auto absolute = std::bit_cast<float>(bits) - (is_small ? 0x1p-14f : 0);
  const auto sign_and_quiet = (half & 0x8000u) << 16 | (magnitude > infinity ? quiet : 0);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(absolute) | sign_and_quiet);
}

inline float widened(bfloat16_t value) noexcept {
  return std::bit_cast<float>(std::uint32_t{std::bit_cast<std::uint16_t>(value)} << 16);
}

#if defined(__x86_64__)
[[gnu::target("avx2,f16c"), gnu::always_inline]] inline __m256 eight_widened(const float16_t* halves) noexcept {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves)));
}

[[gnu::target("avx2,f16c"), gnu::always_inline]] inline __m256 eight_widened(const bfloat16_t* halves) noexcept {
  const auto words = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(words, 16));
}
#endif

}  // namespace tensorplay
