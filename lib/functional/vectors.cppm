module;
#include <cstdint>

module tensorplay.functional:vectors;

import tensorplay.tensor;

namespace tensorplay::inline functional {

/// Whether this processor has AVX2 and F16C. All x86-64 code of the library is baseline but for
/// what vectorized() runs.
bool has_avx2() noexcept;

/// Converts half floats; exact.
void widen(const float16_t* from, float* to, std::int64_t count) noexcept;
void widen(const bfloat16_t* from, float* to, std::int64_t count) noexcept;

}  // namespace tensorplay::inline functional
