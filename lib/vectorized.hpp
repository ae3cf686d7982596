#pragma once
// Included by implementation units behind their imports: g++ 14 cannot write a function with a target attribute into an interface.

namespace tensorplay {

/// Whether this processor has AVX2 and F16C. All x86-64 code of the library is baseline but for what vectorized() runs.
inline bool has_avx2() noexcept {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("f16c") != 0;
  return has;
#else
  return false;
#endif
}

#if defined(__x86_64__)
template <class Kernel>
[[gnu::target("avx2,bmi,bmi2,f16c"), gnu::flatten, gnu::noinline]] auto with_avx2(Kernel kernel) {
  return kernel();
}
#endif

/// Runs a kernel as it is compiled for the widest vectors of this processor; the results are the same with all.
///
/// kernel    a lambda that is [[gnu::always_inline]], as all must be that it calls in its loops: what is not inlined stays baseline.
///           It captures pointers by value, or a compiler takes each byte that it stores for a change of them.
template <class Kernel>
auto vectorized(Kernel kernel) {
#if defined(__x86_64__)
  if (has_avx2()) return with_avx2(kernel);
#endif
  return kernel();
}

}  // namespace tensorplay
