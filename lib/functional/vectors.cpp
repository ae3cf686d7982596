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

#if defined(__x86_64__)
/// As many as go in vectors of eight; gives that number.
[[gnu::target("avx2,f16c")]] std::int64_t widen_eights(const float16_t* from, float* to, std::int64_t count) noexcept {
  std::int64_t at = 0;
  for (; at + 8 <= count; at += 8) {
    const auto halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    _mm256_storeu_ps(to + at, _mm256_cvtph_ps(halves));
  }
  return at;
}
#else
std::int64_t widen_eights(const float16_t*, float*, std::int64_t) noexcept { return 0; }
#endif

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

}  // namespace

bool has_avx2() noexcept {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("f16c") != 0;
  return has;
#else
  return false;
#endif
}

void widen(const float16_t* from, float* to, std::int64_t count) noexcept {
  for (auto at = has_avx2() ? widen_eights(from, to, count) : 0; at < count; ++at) to[at] = widened(from[at]);
}

void widen(const bfloat16_t* from, float* to, std::int64_t count) noexcept {
  for (std::int64_t at = 0; at < count; ++at) {
    to[at] = std::bit_cast<float>(std::uint32_t{std::bit_cast<std::uint16_t>(from[at])} << 16);
  }
}

}  // namespace tensorplay::inline functional
