module;
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

module tensorplay.functional;

import :vectors;

#include "../halves.hpp"

namespace tensorplay::inline functional {
namespace {

void add_widened_baseline(const float16_t* first, std::int64_t apart, std::int64_t count, float* sums) noexcept {
  for (std::int64_t stream = 0; stream < streams; ++stream, first += apart, sums += widened_step) {
    for (std::int64_t at = 0; at < count; at += widened_step) {
      for (std::int64_t lane = 0; lane < widened_step; ++lane) sums[lane] += widened(first[at + lane]);
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2,f16c")]] void add_widened_avx2(const float16_t* first, std::int64_t apart, std::int64_t count,
                                                   std::int64_t ahead, float* sums) noexcept {
  constexpr std::int64_t width{8};
  constexpr std::int64_t vectors{widened_step / width};
  __m256 totals[streams * vectors];
  for (std::int64_t at = 0; at < streams * vectors; ++at) totals[at] = _mm256_loadu_ps(sums + width * at);
  for (std::int64_t at = 0; at < count; at += widened_step) {
    for (std::int64_t stream = 0; stream < streams; ++stream) {
      prefetch_ahead(first + stream * apart + at, ahead);
      for (std::int64_t vector = 0; vector < vectors; ++vector) {
        auto& total = totals[vectors * stream + vector];
        total = _mm256_add_ps(total, eight_widened(first + stream * apart + at + width * vector));
      }
    }
  }
  for (std::int64_t at = 0; at < streams * vectors; ++at) _mm256_storeu_ps(sums + width * at, totals[at]);
}
#endif

}  // namespace

void add_widened(const float16_t* first, std::int64_t apart, std::int64_t count, [[maybe_unused]] std::int64_t ahead,
                 float* sums) noexcept {
#if defined(__x86_64__)
  if (has_avx2()) return add_widened_avx2(first, apart, count, ahead, sums);
#endif
  add_widened_baseline(first, apart, count, sums);
}

void stream(std::byte* to, const std::byte* from, std::int64_t nbytes) noexcept {
  std::int64_t done = 0;
#if defined(__x86_64__)
  constexpr std::int64_t width{sizeof(__m128i)};
  for (; nbytes - done >= width; done += width) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + done), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + done)));
  }
#endif
  std::memcpy(to + done, from + done, static_cast<std::size_t>(nbytes - done));
}

void end_streams() noexcept {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace tensorplay::inline functional
