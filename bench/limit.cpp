#include "limit.hpp"

#include <cstring>

namespace bench {

#if defined(__x86_64__)
[[gnu::target_clones("avx2", "default")]]
#endif
std::uint64_t sum_of_words(const std::uint64_t* words, std::int64_t count) {
  constexpr std::int64_t apart = 8192;
  using four_words [[gnu::vector_size(32)]] = std::uint64_t;
  four_words sums[4]{};
  for (const auto* end = words + count; words != end; words += 4 * apart) {
    for (std::int64_t at = 0; at < apart; at += 4) {
      for (std::int64_t stream = 0; stream < 4; ++stream) {
        four_words loaded;
        std::memcpy(&loaded, words + stream * apart + at, sizeof loaded);
        sums[stream] += loaded;
      }
    }
  }
  const auto all = sums[0] + sums[1] + sums[2] + sums[3];
  return all[0] + all[1] + all[2] + all[3];
}

}  // namespace bench
