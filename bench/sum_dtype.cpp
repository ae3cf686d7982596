// Sums of resident memory, each dtype against the limit: as many bytes added as 64-bit words, which is what memory gives. Types that
// the processor must convert have a limit of their own besides: as many bytes summed in the first-level cache, where memory does not
// count. And sums of 4 KiB, where the call is what costs.
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

constexpr std::int64_t small{4096};
constexpr std::int64_t cached{16384};

/// Sums as many bytes as the others, which stand in the first-level cache; gives the name of the case.
std::string add_cached(tp::dtype type, const tp::any_tensor& memory) {
  const auto name = "128MiB/" + std::string{tp::name(type)} + "_cached";
  const tp::any_tensor elements{memory.storage(), type, {cached / tp::itemsize(type)}};
  tp::dispatch(type, [&]<class T>() {
    bench::add_case(name, [t = elements.as<T>()](benchmark::State& state) {
      t.fill_(1);
      for (auto _ : state) {
        for (std::int64_t done = 0; done < bench::large_bytes; done += cached) benchmark::DoNotOptimize(tp::sum(t));
      }
    });
  });
  return name;
}

void add_group(tp::dtype type, const tp::any_tensor& memory, std::int64_t nbytes, const std::string& group,
               std::vector<bench::comparison>& compared) {
  const bool is_converted = type == tp::float16 || type == tp::float32 || type == tp::complex64;
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
  if (nbytes == bench::large_bytes) {
    const auto limit = group + "/limit";
    const auto in_cache = is_converted ? add_cached(type, memory) : std::string{};
    compared.push_back({prefix, limit, 1.15, in_cache});
    if (is_converted) compared.insert(compared.end(), {{prefix, in_cache}, {in_cache, limit}});
  }
  if constexpr (bench::with_torch) {
    if (name.starts_with("uint") && name != "uint8") return;  // libtorch has no others
    bench::add_case(prefix + "_torch", [ones, name, numel](benchmark::State& state) {
      ones.fill_(1);
      const bench::torch_tensor t{ones.data(), numel, name};
      for (auto _ : state) benchmark::DoNotOptimize(t.sum());
    });
    compared.push_back({prefix, prefix + "_torch", nbytes == bench::large_bytes ? 1.0 : 0.1});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  const auto memory = tp::zeros<std::uint64_t>(bench::large_bytes / 8);
  std::vector<bench::comparison> compared;
  bench::add_case("128MiB/limit", [memory](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(bench::sum_of_words(memory.data(), memory.numel()));
  });
  for (const auto type : {tp::bool_, tp::uint8, tp::int8, tp::uint16, tp::int16, tp::uint32, tp::int32, tp::uint64, tp::int64,
                          tp::float16, tp::bfloat16, tp::float32, tp::float64, tp::complex64, tp::complex128}) {
    add_group(type, tp::any_tensor{memory}, bench::large_bytes, "128MiB", compared);
  }
  for (const auto type : {tp::uint8, tp::int32, tp::float16, tp::float32}) {
    add_group(type, tp::any_tensor{memory}, small, "4KiB", compared);
  }
  return bench::run(argc, argv, compared, 30);
}
