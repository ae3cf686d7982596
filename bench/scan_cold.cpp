// Adds up a file of 512 MiB that is outside the file system's cache: with the pages loaded ahead by prefetch, and without.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config.hpp"
#include "peers.hpp"
#include "reporter.hpp"
#include "scratch.hpp"
#include "torch.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t numel = 128 << 20;

float sum(std::span<const float> elements) { return tp::sum(tp::tensor_view<const float>{elements}); }

float sum_ahead(const std::filesystem::path& path) {
  const auto t = tp::from_file<const float>(path, false, numel);
  const auto ahead = tp::prefetch(t);
  return tp::sum(t);
}

float sum_plain(const std::filesystem::path& path) { return tp::sum(tp::from_file<const float>(path, false, numel)); }

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  const bench::scratch_folder scratch;
  const auto path = scratch.file_of_ones("cold", numel, bench::large_piece);
  const auto add = [&](const std::string& name, const std::function<float(const std::filesystem::path&)>& measured) {
    bench::add_case("scan_cold/" + name, [=](benchmark::State& state) {
      for (auto _ : state) {
        state.PauseTiming();
        bench::drop_from_cache(path);
        state.ResumeTiming();
        if (measured(path) != static_cast<float>(numel)) return state.SkipWithError("a wrong sum");
      }
    })->UseRealTime();
  };
  add("prefetch", sum_ahead);
  add("plain", sum_plain);
  std::vector<bench::comparison> compared{{"scan_cold/prefetch", "scan_cold/plain", 1.0},
                                          {"scan_cold/plain", "scan_cold/by_hand"}};
  for (const auto& [name, floats] : bench::ways) {
    add(name, [floats](const std::filesystem::path& file) { return floats(file, numel, sum); });
    if (floats != bench::through_mmap) compared.push_back({"scan_cold/prefetch", std::string{"scan_cold/"} + name});
  }
  if constexpr (bench::with_torch) {
    add("torch", [](const std::filesystem::path& file) {
      return static_cast<float>(bench::torch_tensor{file.string(), false, numel}.sum());
    });
    compared.push_back({"scan_cold/prefetch", "scan_cold/torch", 1.0});
  }
  return bench::run(argc, argv, compared, 20, bench::processors::all);
}
