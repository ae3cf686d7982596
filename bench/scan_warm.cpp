// Maps 256 MiB that are in the file system's cache, adds them up, unmaps them.
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

constexpr std::int64_t numel = 64 << 20;

/// The library's own kernel, so that all but libtorch differ in how the elements are reached alone.
float sum(std::span<const float> elements) { return tp::sum(tp::tensor_view<const float>{elements}); }

float sum_mapped(const std::filesystem::path& path) { return tp::sum(tp::from_file<const float>(path, false, numel)); }

void add_group(const std::string& group, const std::filesystem::path& path, std::vector<bench::comparison>& compared) {
  const auto add = [&](const std::string& name, const std::function<float(const std::filesystem::path&)>& measured) {
    bench::add_case(group + '/' + name, [measured, path](benchmark::State& state) {
      if (measured(path) != static_cast<float>(numel)) return state.SkipWithError("a wrong sum");
      for (auto _ : state) benchmark::DoNotOptimize(measured(path));
    });
  };
  const auto ours = group + "/tensorplay";
  add("tensorplay", sum_mapped);
  add("tensorplay_again", sum_mapped);
  compared.insert(compared.end(), {{ours, ours + "_again"}, {ours, group + "/by_hand", 1.05}});
  for (const auto& [name, floats] : bench::ways) {
    add(name, [floats](const std::filesystem::path& file) { return floats(file, numel, sum); });
    if (floats != bench::through_mmap) compared.push_back({ours, group + '/' + name});
  }
  if constexpr (bench::with_torch) {
    add("torch", [](const std::filesystem::path& file) {
      return static_cast<float>(bench::torch_tensor{file.string(), false, numel}.sum());
    });
    compared.push_back({ours, group + "/torch", 1.02});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  const bench::scratch_folder scratch;
  std::vector<bench::comparison> compared;
  add_group("large_folios", scratch.file_of_ones("large", numel, bench::large_piece), compared);
  add_group("small_folios", scratch.file_of_ones("small", numel, bench::small_piece), compared);
  return bench::run(argc, argv, compared, 20);
}
