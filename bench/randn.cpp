// 16 million normal random numbers.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "config.hpp"
#include "reporter.hpp"
#include "torch.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

int main(int argc, char** argv) {
  constexpr std::int64_t numel = 16 << 20;
  bench::add_case("randn/tensorplay", [](benchmark::State& state) {
    if (const auto drawn = tp::randn<float>(numel); std::abs(tp::mean(drawn)) > 0.01) return state.SkipWithError("a wrong mean");
    for (auto _ : state) benchmark::DoNotOptimize(tp::randn<float>(numel).data());
  });
  bench::add_case("randn/standard_library", [](benchmark::State& state) {
    std::mt19937_64 engine;
    std::normal_distribution<float> normal;
    for (auto _ : state) {
      std::vector<float> drawn(numel);
      for (auto& number : drawn) number = normal(engine);
      benchmark::DoNotOptimize(drawn.data());
    }
  });
  std::vector<bench::comparison> compared{{"randn/tensorplay", "randn/standard_library"}};
  if constexpr (bench::with_torch) {
    bench::use_one_torch_thread();
    bench::add_case("randn/torch", [](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(bench::torch_randn(numel));
    });
    compared.push_back({"randn/tensorplay", "randn/torch", 0.5});
  }
  return bench::run(argc, argv, compared, 20);
}
