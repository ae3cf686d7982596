module;
#include <cstdint>

module tensorplay.functional:vectors;

import tensorplay.tensor;

namespace tensorplay::inline functional {

/// Whether this processor has AVX2 and F16C. All x86-64 code of the library is baseline but for what stands in this partition.
bool has_avx2() noexcept;

#if defined(__x86_64__)
template <class Kernel>
[[gnu::target("avx2,bmi,bmi2,f16c"), gnu::flatten, gnu::noinline]] auto with_avx2(Kernel& kernel) {
  return kernel();
}
#endif

/// Runs a kernel as it is compiled for the widest vectors of this processor; the results are the same with all.
///
/// kernel    a lambda that is [[gnu::always_inline]], as all must be that it calls in its loops: what is not inlined stays baseline.
template <class Kernel>
auto vectorized(Kernel kernel) {
#if defined(__x86_64__)
  if (has_avx2()) return with_avx2(kernel);
#endif
  return kernel();
}

/// Converts half floats; exact.
void widen(const float16_t* from, float* to, std::int64_t count) noexcept;
void widen(const bfloat16_t* from, float* to, std::int64_t count) noexcept;

}  // namespace tensorplay::inline functional
