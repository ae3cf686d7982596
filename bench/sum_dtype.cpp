// Sums of resident memory, each dtype against the limit: as many bytes added as 64-bit words, which is what memory gives. And sums of
// 4 KiB, where the call is what costs.
#include <cstdint>
#include <string>
#include <vector>

#include "config.hpp"
#include "reporter.hpp"
#include "torch.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t large{std::int64_t{128} << 20};
constexpr std::int64_t small{4096};

/// A plain loop that memory is the limit of: a core gets the most from it in several streams.
std::uint64_t sum_of_words(const std::uint64_t* words, std::int64_t count) {
  constexpr std::int64_t apart = 8192;
  std::uint64_t sums[16]{};
  for (const auto* end = words + count; words != end; words += 4 * apart) {
    for (std::int64_t at = 0; at < apart; at += 4) {
      for (std::int64_t lane = 0; lane < 16; ++lane) sums[lane] += words[lane / 4 * apart + at + lane % 4];
    }
  }
  std::uint64_t total = 0;
  for (const auto sum : sums) total += sum;
  return total;
}

void add_group(tp::dtype type, const tp::any_tensor& memory, std::int64_t nbytes, const std::string& group,
               std::vector<bench::comparison>& compared) {
  const std::string name{tp::name(type)};
  const auto numel = nbytes / tp::itemsize(type);
  const tp::any_tensor ones{memory.storage(), type, {numel}};
  const auto prefix = group + "/" + name;
  tp::dispatch(type, [&]<class T>() {
    bench::add_case(prefix, [t = ones.as<T>(), numel](benchmark::State& state) {
      t.fill_(1);
      if (tp::scalar{tp::sum(t)}.to<float>() != static_cast<float>(numel)) return state.SkipWithError("a wrong sum");
      for (auto _ : state) benchmark::DoNotOptimize(tp::sum(t));
    });
  });
  if (nbytes == large) compared.push_back({prefix, group + "/limit", 1.15});
  if constexpr (bench::with_torch) {
    if (name.starts_with("uint") && name != "uint8") return;  // libtorch has no others
    bench::add_case(prefix + "_torch", [ones, name, numel](benchmark::State& state) {
      ones.fill_(1);
      const bench::torch_tensor t{ones.data(), numel, name};
      for (auto _ : state) benchmark::DoNotOptimize(t.sum());
    });
    compared.push_back({prefix, prefix + "_torch", nbytes == large ? 1.0 : 0.1});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  const auto memory = tp::zeros<std::uint64_t>(large / 8);
  std::vector<bench::comparison> compared;
  bench::add_case("128MiB/limit", [memory](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(sum_of_words(memory.data(), memory.numel()));
  });
  for (const auto type : {tp::bool_, tp::uint8, tp::int8, tp::uint16, tp::int16, tp::uint32, tp::int32, tp::uint64, tp::int64,
                          tp::float16, tp::bfloat16, tp::float32, tp::float64, tp::complex64, tp::complex128}) {
    add_group(type, tp::any_tensor{memory}, large, "128MiB", compared);
  }
  for (const auto type : {tp::uint8, tp::int32, tp::float16, tp::float32}) {
    add_group(type, tp::any_tensor{memory}, small, "4KiB", compared);
  }
  return bench::run(argc, argv, compared, 30);
}
