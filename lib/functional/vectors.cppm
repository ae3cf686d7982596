module;
#include <cstdint>

module tensorplay.functional:vectors;

import tensorplay.tensor;

namespace tensorplay::inline functional {

/// Whether this processor has AVX2 and F16C. All x86-64 code of the library is baseline but for
/// what vectorized() runs.
bool has_avx2() noexcept;

/// Streams that add_widened() reads, and its sums for each.
inline constexpr std::int64_t widened_streams{4};
inline constexpr std::int64_t widened_step{16};

/// Adds half floats of streams to sums, lane by lane; each conversion is exact.
///
/// apart     elements from one stream's first to the next one's.
/// count     elements of each stream; a multiple of widened_step.
/// sums      widened_streams * widened_step of them.
void add_widened(const float16_t* first, std::int64_t apart, std::int64_t count, float* sums) noexcept;
void add_widened(const bfloat16_t* first, std::int64_t apart, std::int64_t count, float* sums) noexcept;

}  // namespace tensorplay::inline functional
