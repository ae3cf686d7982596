#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace bench {

/// One measurement of a case.
struct round {
  double seconds;
  std::chrono::steady_clock::time_point end;
};

/// The rounds that a verdict takes.
inline constexpr std::size_t least_rounds = 20;

/// What rounds say of the time of one case over the time of another.
struct ratio {
  double median;
  std::optional<std::pair<double, double>> interval;  ///< holds the true median with 95 %; nothing below six rounds
};

/// Divides each round by the one of the other case that ended next to it, and takes the median of the quotients: what slows the
/// machine down for a while does not count.
///
/// ours, other  In the order of their ends; one round at least.
/// Source       The interval is that of order statistics: it assumes nothing of how times are distributed.
ratio ratio_of(std::span<const round> ours, std::span<const round> other);

}  // namespace bench
