// Loops over the elements of a tensor against the same loops over a bare pointer, all on one block of memory that stays in cache.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "reporter.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t rows = 64;  // 16 KiB, in the first cache: what is compared is instructions
constexpr std::int64_t columns = 64;

using vector_of_float = tp::tensor<float>;
using matrix_of_float = tp::tensor<float, 2>;
using vector_of_int = tp::tensor<std::int32_t>;
using matrix_of_int = tp::tensor<std::int32_t, 2>;

constexpr float updated(float x) { return x * 0.5F + 1; }

// Each loop is a function of its own, so that none is optimised for the sizes above.

[[gnu::noinline]] void update_1d_pointer(const vector_of_float& t) {
  auto* const p = t.data();
  for (std::int64_t i = 0, n = t.numel(); i < n; ++i) p[i] = updated(p[i]);
}
[[gnu::noinline]] void update_1d_call(const vector_of_float& t) {
  for (std::int64_t i = 0, n = t.numel(); i < n; ++i) t(i) = updated(t(i));
}
[[gnu::noinline]] void update_1d_subscript(const vector_of_float& t) {
  for (std::int64_t i = 0, n = t.numel(); i < n; ++i) t[i] = updated(t[i]);
}
[[gnu::noinline]] void update_1d_range_for(const vector_of_float& t) {
  for (auto& x : t) x = updated(x);
}
[[gnu::noinline]] void transform_pointer(const vector_of_float& t) {
  auto* const p = t.data();
  std::transform(p, p + t.numel(), p, updated);
}
[[gnu::noinline]] void transform_iterator(const vector_of_float& t) { std::transform(t.begin(), t.end(), t.begin(), updated); }

[[gnu::noinline]] void update_2d_pointer(const matrix_of_float& t) {
  auto* const p = t.data();
  const auto height = t.shape()[0];
  const auto width = t.shape()[1];
  for (std::int64_t i = 0; i < height; ++i) {
    for (std::int64_t j = 0; j < width; ++j) p[i * width + j] = updated(p[i * width + j]);
  }
}
[[gnu::noinline]] void update_2d_call(const matrix_of_float& t) {
  for (std::int64_t i = 0; i < t.shape()[0]; ++i) {
    for (std::int64_t j = 0; j < t.shape()[1]; ++j) t(i, j) = updated(t(i, j));
  }
}
[[gnu::noinline]] void update_2d_subscript(const matrix_of_float& t) {
  for (std::int64_t i = 0; i < t.shape()[0]; ++i) {
    for (std::int64_t j = 0; j < t.shape()[1]; ++j) t[i][j] = updated(t[i][j]);
  }
}

[[gnu::noinline]] std::int32_t sum_1d_pointer(const vector_of_int& t) {
  const auto* const p = t.data();
  std::int32_t sum = 0;
  for (std::int64_t i = 0, n = t.numel(); i < n; ++i) sum += p[i];
  return sum;
}
[[gnu::noinline]] std::int32_t sum_1d_call(const vector_of_int& t) {
  std::int32_t sum = 0;
  for (std::int64_t i = 0, n = t.numel(); i < n; ++i) sum += t(i);
  return sum;
}
[[gnu::noinline]] std::int32_t sum_1d_subscript(const vector_of_int& t) {
  std::int32_t sum = 0;
  for (std::int64_t i = 0, n = t.numel(); i < n; ++i) sum += t[i];
  return sum;
}
[[gnu::noinline]] std::int32_t sum_1d_range_for(const vector_of_int& t) {
  std::int32_t sum = 0;
  for (const auto x : t) sum += x;
  return sum;
}
[[gnu::noinline]] std::int32_t reduce_pointer(const vector_of_int& t) {
  const auto* const p = t.data();
  return std::reduce(p, p + t.numel());
}
[[gnu::noinline]] std::int32_t reduce_iterator(const vector_of_int& t) { return std::reduce(t.begin(), t.end()); }

[[gnu::noinline]] std::int32_t sum_2d_pointer(const matrix_of_int& t) {
  const auto* const p = t.data();
  const auto height = t.shape()[0];
  const auto width = t.shape()[1];
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < height; ++i) {
    for (std::int64_t j = 0; j < width; ++j) sum += p[i * width + j];
  }
  return sum;
}
[[gnu::noinline]] std::int32_t sum_2d_call(const matrix_of_int& t) {
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < t.shape()[0]; ++i) {
    for (std::int64_t j = 0; j < t.shape()[1]; ++j) sum += t(i, j);
  }
  return sum;
}
[[gnu::noinline]] std::int32_t sum_2d_subscript(const matrix_of_int& t) {
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < t.shape()[0]; ++i) {
    for (std::int64_t j = 0; j < t.shape()[1]; ++j) sum += t[i][j];
  }
  return sum;
}

template <class Tensor>
void measure(benchmark::State& state, void (*update)(const Tensor&), const Tensor& t) {
  std::iota(t.begin(), t.end(), 0.0F);
  update(t);
  for (float before = 0; const auto x : t) {
    if (x != updated(before++)) {
      state.SkipWithError("an element is another than x * a + b");
      return;
    }
  }
  for (auto _ : state) {
    update(t);
    benchmark::ClobberMemory();
  }
}

template <class Tensor>
void measure(benchmark::State& state, std::int32_t (*sum)(const Tensor&), const Tensor& t) {
  constexpr auto half = static_cast<std::int32_t>(rows * columns / 2);
  std::iota(t.begin(), t.end(), 1 - half);
  if (sum(t) != half) {
    state.SkipWithError("the sum is wrong");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(sum(t));
}

template <class Tensor, class Result>
using loop = Result (*)(const Tensor&);

/// Registers the loops of one group, the pointer's twice, and compares the others with it.
template <class Result, class Tensor>
void add_group(const std::string& group, const Tensor& t, loop<Tensor, Result> pointer_loop,
               const std::vector<std::pair<const char*, loop<Tensor, Result>>>& loops, std::vector<bench::comparison>& compared) {
  const auto add = [&t](const std::string& name, loop<Tensor, Result> run) {
    bench::add_case(name, [run, t](benchmark::State& state) { measure(state, run, t); });
  };
  const auto pointer = group + "/pointer";
  add(pointer, pointer_loop);
  add(pointer + "_again", pointer_loop);
  compared.push_back({pointer + "_again", pointer});
  for (const auto& [name, run] : loops) {
    add(group + '/' + name, run);
    compared.push_back({group + '/' + name, pointer, 1.02});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto floats = tp::zeros<float>(rows, columns);
  const auto ints = tp::zeros<std::int32_t>(rows, columns);
  std::vector<bench::comparison> compared;
  add_group<void>("update_1d", floats.flatten(), update_1d_pointer,
                  {{"call", update_1d_call}, {"subscript", update_1d_subscript}, {"range_for", update_1d_range_for}}, compared);
  add_group<void>("transform", floats.flatten(), transform_pointer, {{"iterator", transform_iterator}}, compared);
  add_group<void>("update_2d", floats, update_2d_pointer, {{"call", update_2d_call}, {"subscript", update_2d_subscript}},
                  compared);
  add_group<std::int32_t>("sum_1d", ints.flatten(), sum_1d_pointer,
                          {{"call", sum_1d_call}, {"subscript", sum_1d_subscript}, {"range_for", sum_1d_range_for}}, compared);
  add_group<std::int32_t>("reduce", ints.flatten(), reduce_pointer, {{"iterator", reduce_iterator}}, compared);
  add_group<std::int32_t>("sum_2d", ints, sum_2d_pointer, {{"call", sum_2d_call}, {"subscript", sum_2d_subscript}}, compared);
  return bench::run(argc, argv, compared);
}
