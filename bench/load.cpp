// Opens a file and adds up its elements: copied into memory, or mapped.
#include <cstdint>
#include <string>
#include <vector>

#include "config.hpp"
#include "reporter.hpp"
#include "scratch.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

int main(int argc, char** argv) {
  const bench::scratch_folder scratch;
  std::vector<bench::comparison> compared;
  for (const std::int64_t kibibytes : {4, 64, 256, 1024, 4096}) {
    const auto numel = kibibytes * 256;
    const auto group = std::to_string(kibibytes) + "KiB";
    const auto path = scratch.path() / group;
    tp::ones<float>(numel).tofile(path, {.durable = false});
    bench::add_case(group + "/load", [path, numel](benchmark::State& state) {
      if (tp::sum(tp::load<float>(path, numel)) != static_cast<float>(numel)) return state.SkipWithError("a wrong sum");
      for (auto _ : state) benchmark::DoNotOptimize(tp::sum(tp::load<float>(path, numel)));
    });
    bench::add_case(group + "/from_file", [path, numel](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(tp::sum(tp::from_file<const float>(path, false, numel)));
    });
    compared.push_back({group + "/load", group + "/from_file"});
  }
  return bench::run(argc, argv, compared, 60);
}
