#include "ratio.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bench {
namespace {

const round& nearest(std::span<const round> rounds, std::chrono::steady_clock::time_point end) {
  const auto after = std::ranges::lower_bound(rounds, end, {}, &round::end);
  if (after == rounds.begin()) return *after;
  const auto before = after - 1;
  return after == rounds.end() || end - before->end < after->end - end ? *before : *after;
}

/// How many of the smallest quotients, and of the largest, lie outside the interval; nothing where there are too few for one.
std::optional<std::size_t> outside(std::size_t rounds) {
  const auto n = static_cast<double>(rounds);
  double tail = 0;
  for (std::size_t below = 0; below <= rounds; ++below) {
    const auto k = static_cast<double>(below);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2));
    if (tail > 0.025) return below == 0 ? std::nullopt : std::optional{below - 1};
  }
  return std::nullopt;
}

}  // namespace

ratio ratio_of(std::span<const round> ours, std::span<const round> other) {
  std::vector<double> quotients;
  for (const auto& [seconds, end] : ours) quotients.push_back(seconds / nearest(other, end).seconds);
  std::ranges::sort(quotients);

  const auto count = quotients.size();
  ratio result{(quotients[(count - 1) / 2] + quotients[count / 2]) / 2, {}};
  if (const auto cut = outside(count)) result.interval = {quotients[*cut], quotients[count - 1 - *cut]};
  return result;
}

}  // namespace bench
