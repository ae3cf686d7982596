module;
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <bit>
#include <cstdint>

module tensorplay.functional;

import :vectors;

namespace tensorplay::inline functional {
namespace {

/// By integer arithmetic, which every processor has: the exponent moves to its place, and numbers below 2^-14 lose the leading one
/// that they got there.
float widened(float16_t value) noexcept {
  constexpr std::uint32_t shift{112u << 23};
  constexpr std::uint32_t infinity{0x1fu << 23};
  constexpr std::uint32_t smallest_normal{1u << 23};
  const auto half = std::bit_cast<std::uint16_t>(value);
  const auto magnitude = (half & 0x7fffu) << 13;
  const bool is_small = magnitude < smallest_normal;
  const auto bits = magnitude + shift + (magnitude >= infinity ? shift : 0) + (is_small ? smallest_normal : 0);
  const auto absolute = std::bit_cast<float>(bits) - (is_small ? 0x1p-14f : 0);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(absolute) | (half & 0x8000u) << 16);
}

float widened(bfloat16_t value) noexcept {
  return std::bit_cast<float>(std::uint32_t{std::bit_cast<std::uint16_t>(value)} << 16);
}

template <class T>
void add_widened_baseline(const T* first, std::int64_t apart, std::int64_t count, float* sums) noexcept {
  for (std::int64_t stream = 0; stream < widened_streams; ++stream, first += apart, sums += widened_step) {
    for (std::int64_t at = 0; at < count; at += widened_step) {
      for (std::int64_t lane = 0; lane < widened_step; ++lane) sums[lane] += widened(first[at + lane]);
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2,f16c"), gnu::always_inline]] inline __m256 eight_widened(const float16_t* halves) noexcept {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves)));
}

[[gnu::target("avx2,f16c"), gnu::always_inline]] inline __m256 eight_widened(const bfloat16_t* halves) noexcept {
  const auto words = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(words, 16));
}

template <class T>
[[gnu::target("avx2,f16c")]] void add_widened_avx2(const T* first, std::int64_t apart, std::int64_t count, float* sums) noexcept {
  constexpr std::int64_t width{8};
  constexpr std::int64_t vectors{widened_step / width};
  __m256 totals[widened_streams * vectors];
  for (std::int64_t at = 0; at < widened_streams * vectors; ++at) totals[at] = _mm256_loadu_ps(sums + width * at);
  for (std::int64_t at = 0; at < count; at += widened_step) {
    for (std::int64_t stream = 0; stream < widened_streams; ++stream) {
      for (std::int64_t vector = 0; vector < vectors; ++vector) {
        auto& total = totals[vectors * stream + vector];
        total = _mm256_add_ps(total, eight_widened(first + stream * apart + at + width * vector));
      }
    }
  }
  for (std::int64_t at = 0; at < widened_streams * vectors; ++at) _mm256_storeu_ps(sums + width * at, totals[at]);
}
#endif

template <class T>
void add_halves_widened(const T* first, std::int64_t apart, std::int64_t count, float* sums) noexcept {
#if defined(__x86_64__)
  if (has_avx2()) return add_widened_avx2(first, apart, count, sums);
#endif
  add_widened_baseline(first, apart, count, sums);
}

}  // namespace

bool has_avx2() noexcept {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("f16c") != 0;
  return has;
#else
  return false;
#endif
}

void add_widened(const float16_t* first, std::int64_t apart, std::int64_t count, float* sums) noexcept {
  add_halves_widened(first, apart, count, sums);
}

void add_widened(const bfloat16_t* first, std::int64_t apart, std::int64_t count, float* sums) noexcept {
  add_halves_widened(first, apart, count, sums);
}

}  // namespace tensorplay::inline functional
