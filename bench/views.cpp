// What making a view costs: of elements that others keep alive, and with a share of the storage.
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "config.hpp"
#include "reporter.hpp"
#include "torch.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t numel = 1 << 20;

template <class Make>
void add(const std::string& name, Make make) {
  bench::add_case(name, [make](benchmark::State& state) {
    if (make().numel() == 0) return state.SkipWithError("an empty view");
    for (auto _ : state) benchmark::DoNotOptimize(make());
  });
}

/// The least that a share of a storage costs once a program has started a thread: it is counted, and no longer. The other cases run
/// without threads.
void count_share(benchmark::State& state) {
  std::atomic<std::int64_t> shares{1};
  for (auto _ : state) {
    shares.fetch_add(1, std::memory_order_relaxed);
    benchmark::ClobberMemory();
    if (shares.fetch_sub(1, std::memory_order_acq_rel) == 1) state.SkipWithError("a share was lost");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto t = tp::ones<float>(numel);
  const auto rows = t.reshape(1024, 1024);
  const auto view = t.view();
  const auto row_view = rows.view();
  const tp::any_tensor any = t;
  const tp::any_tensor any_rows = rows;
  add("slice/view", [view] { return view.slice(0, 100, 200); });
  add("slice/tensor", [t] { return t.slice(0, 100, 200); });
  add("slice/any_tensor", [any] { return any.slice(0, 100, 200); });
  add("select/view", [row_view] { return row_view.select(0, 7); });
  add("select/tensor", [rows] { return rows.select(0, 7); });
  add("select/any_tensor", [any_rows] { return any_rows.select(0, 7); });
  add("reshape/view", [view] { return view.reshape(-1, 2); });
  add("reshape/tensor", [t] { return t.reshape(-1, 2); });
  add("reshape/any_tensor", [any] { return any.reshape({-1, 2}); });

  bench::add_case("limit/share", count_share);

  std::vector<bench::comparison> compared;
  for (const std::string group : {"slice/", "select/", "reshape/"}) {
    for (const std::string kind : {"tensor", "any_tensor"}) compared.push_back({group + kind, "limit/share"});
    if constexpr (bench::with_torch) {
      for (const std::string kind : {"view", "tensor", "any_tensor"}) compared.push_back({group + kind, group + "torch", 0.05});
    }
  }
  if constexpr (bench::with_torch) {
    const bench::torch_tensor torch{t.data(), numel, "float32"};
    bench::add_case("slice/torch", [&](benchmark::State& state) {
      for (auto _ : state) torch.slice();
    });
    const bench::torch_tensor torch_rows{rows.data(), 1024, 1024};
    bench::add_case("select/torch", [&](benchmark::State& state) {
      for (auto _ : state) torch_rows.select();
    });
    bench::add_case("reshape/torch", [&](benchmark::State& state) {
      for (auto _ : state) torch.reshape();
    });
    compared.push_back({"limit/share", "reshape/torch"});
    return bench::run(argc, argv, compared, 60);
  }
  return bench::run(argc, argv, compared, 60);
}
