module;
#if !defined(__clang__)
#include <cstdint>
#endif

module tensorplay.tensor:halves;

import tensorplay.standard;
import :element;

namespace tensorplay {

/// Converts half floats to floats; exact.
void widen(const float16_t* from, float* to, std::int64_t count) noexcept;
void widen(const bfloat16_t* from, float* to, std::int64_t count) noexcept;

/// Converts floats to half floats: to the nearest, of two to the even one; what is too large becomes infinite.
void narrow(const float* from, float16_t* to, std::int64_t count) noexcept;
void narrow(const float* from, bfloat16_t* to, std::int64_t count) noexcept;

}  // namespace tensorplay
