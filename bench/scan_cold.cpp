// Adds up a file of 512 MiB that is outside the file system's cache: with the pages loaded ahead by prefetch, and without.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "config.hpp"
#include "hand_mapping.hpp"
#include "reporter.hpp"
#include "scratch.hpp"
#include "torch.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t numel = 128 << 20;

double sum_ahead(const std::filesystem::path& path) {
  const auto t = tp::from_file<const float>(path, false, numel);
  const auto ahead = tp::prefetch(t);
  return tp::sum(t);
}

double sum_plain(const std::filesystem::path& path) { return tp::sum(tp::from_file<const float>(path, false, numel)); }

double sum_by_hand(const std::filesystem::path& path) {
  const bench::hand_mapping mapped{path, false, numel};
  return tp::sum(tp::tensor_view<const float>{std::span<const float>{mapped.span()}});
}

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  const bench::scratch_folder scratch;
  const auto path = scratch.file_of_ones("cold", numel, bench::large_piece);
  const auto add = [&](const std::string& name, double (*measured)(const std::filesystem::path&)) {
    bench::add_case(name, [=](benchmark::State& state) {
      for (auto _ : state) {
        state.PauseTiming();
        bench::drop_from_cache(path);
        state.ResumeTiming();
        if (measured(path) != static_cast<double>(numel)) return state.SkipWithError("a wrong sum");
      }
    })->UseRealTime();
  };
  add("scan_cold/prefetch", sum_ahead);
  add("scan_cold/plain", sum_plain);
  add("scan_cold/by_hand", sum_by_hand);
  std::vector<bench::comparison> compared{{"scan_cold/prefetch", "scan_cold/plain", 1.0},
                                          {"scan_cold/plain", "scan_cold/by_hand"}};
  if constexpr (bench::with_torch) {
    add("scan_cold/torch",
        [](const std::filesystem::path& file) { return bench::torch_tensor{file.string(), false, numel}.sum(); });
    compared.push_back({"scan_cold/prefetch", "scan_cold/torch", 1.0});
  }
  return bench::run(argc, argv, compared, 20, bench::processors::all);
}
