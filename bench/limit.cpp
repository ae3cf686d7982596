#include "limit.hpp"

namespace bench {

#if defined(__x86_64__)
[[gnu::target_clones("avx2", "default")]]
#endif
std::uint64_t sum_of_words(const std::uint64_t* words, std::int64_t count) {
  constexpr std::int64_t apart = 8192;
  std::uint64_t sums[16]{};
  for (const auto* end = words + count; words != end; words += 4 * apart) {
    for (std::int64_t at = 0; at < apart; at += 4) {
      for (std::int64_t lane = 0; lane < 16; ++lane) sums[lane] += words[lane / 4 * apart + at + lane % 4];
    }
  }
  std::uint64_t total = 0;
  for (const auto sum : sums) total += sum;
  return total;
}

}  // namespace bench
