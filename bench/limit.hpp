#pragma once
#include <cstdint>

namespace bench {

/// Bytes of the groups whose limit is memory.
inline constexpr std::int64_t large_bytes{std::int64_t{128} << 20};

/// Adds words in a plain loop that memory is the limit of: a core gets the most from it in several streams
/// and in wide vectors.
///
/// count     a multiple of 32768.
std::uint64_t sum_of_words(const std::uint64_t* words, std::int64_t count);

}  // namespace bench
