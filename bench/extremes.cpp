// Other reductions of resident memory against the limit: as many bytes added as 64-bit words, which is what memory gives.
#include <cstdint>
#include <string>
#include <vector>

#include "config.hpp"
#include "limit.hpp"
#include "reporter.hpp"
#include "torch.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

/// Registers one reduction of elements that are 1, but for the last one, which is 3.
template <class T, class Reduce, class Torch>
void add(const std::string& name, const tp::tensor<T>& elements, double result, Reduce reduce, Torch torch,
         std::vector<bench::comparison>& compared) {
  const auto prefix = name + '/' + std::string{tp::name(tp::dtype_of<T>)};
  const auto prepare = [elements] {
    elements.fill_(1);
    elements[elements.numel() - 1] = T(3);
  };
  bench::add_case(prefix, [=](benchmark::State& state) {
    prepare();
    if (tp::scalar{reduce(elements)}.template to<double>() != result) return state.SkipWithError("a wrong result");
    for (auto _ : state) benchmark::DoNotOptimize(reduce(elements));
  });
  compared.push_back({prefix, "limit", 1.15});
  if constexpr (bench::with_torch) {
    bench::add_case(prefix + "_torch", [=](benchmark::State& state) {
      prepare();
      const bench::torch_tensor peer{elements.data(), elements.numel(), std::string{tp::name(tp::dtype_of<T>)}};
      for (auto _ : state) benchmark::DoNotOptimize(torch(peer));
    });
    compared.push_back({prefix, prefix + "_torch", 1.0});
  }
}

template <class T>
void add_all(const tp::any_tensor& memory, std::vector<bench::comparison>& compared) {
  const std::int64_t numel{bench::large_bytes / std::int64_t{sizeof(T)}};
  const auto elements = tp::any_tensor{memory.storage(), tp::dtype_of<T>, {numel}}.as<T>();
  const auto add_one = [&](const std::string& name, double result, auto reduce, auto torch) {
    add(name, elements, result, reduce, torch, compared);
  };
  add_one("max", 3, [](const tp::tensor<T>& t) { return tp::max(t); }, [](const auto& peer) { return peer.max(); });
  add_one(
      "argmax", static_cast<double>(numel - 1), [](const tp::tensor<T>& t) { return tp::argmax(t); },
      [](const auto& peer) { return peer.argmax(); });
  add_one(
      "count_nonzero", static_cast<double>(numel), [](const tp::tensor<T>& t) { return tp::count_nonzero(t); },
      [](const auto& peer) { return peer.count_nonzero(); });
}

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  const auto memory = tp::zeros<std::uint64_t>(bench::large_bytes / 8);
  std::vector<bench::comparison> compared;
  bench::add_case("limit", [memory](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(bench::sum_of_words(memory.data(), memory.numel()));
  });
  add_all<std::uint8_t>(memory, compared);
  add_all<std::int16_t>(memory, compared);
  add_all<std::int32_t>(memory, compared);
  add_all<std::int64_t>(memory, compared);
  add_all<tp::float16_t>(memory, compared);
  add_all<float>(memory, compared);
  add_all<double>(memory, compared);
  return bench::run(argc, argv, compared, 20);
}
