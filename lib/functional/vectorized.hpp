#pragma once
// Included by implementation units behind their imports: g++ 14 cannot write a function with a target attribute into an interface.

namespace tensorplay::inline functional {

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

}  // namespace tensorplay::inline functional
