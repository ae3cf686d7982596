// All of a private map of 128 MiB plus one: what the first stores to a private mapping cost. And a copy of it in memory. The limit of
// both is what fresh memory costs: a copy into huge pages, by hand.
#include <cstdint>
#include <cstring>
#include <filesystem>
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

constexpr std::int64_t numel = 32 << 20;

void add_one_by_hand(const std::filesystem::path& path) {
  const auto bytes = tp::map_file(path, numel * 4);
  auto* first = reinterpret_cast<float*>(bytes.mutable_data());
  for (std::int64_t at = 0; at < numel; ++at) first[at] += 1;
}

void copy_to_huge_pages(const std::filesystem::path& path) {
  const bench::hand_mapping source{path, false, numel};
  const bench::huge_pages copy{numel};
  std::memcpy(copy.data(), source.span().data(), source.span().size_bytes());
  benchmark::DoNotOptimize(copy.data());
}

void add_group(const std::string& group, const std::filesystem::path& path, double update, double clone,
               std::vector<bench::comparison>& compared) {
  bench::add_case(group + "/update", [path](benchmark::State& state) {
    const auto once = tp::from_file<float>(path, false, numel);
    if (tp::sum(tp::add_(once, 1)) != 2 * numel) return state.SkipWithError("a wrong sum");
    for (auto _ : state) tp::add_(tp::from_file<float>(path, false, numel), 1);
  });
  bench::add_case(group + "/update_by_hand", [path](benchmark::State& state) {
    for (auto _ : state) add_one_by_hand(path);
  });
  bench::add_case(group + "/clone", [path](benchmark::State& state) {
    if (tp::sum(tp::from_file<float>(path, false, numel).clone()) != numel) return state.SkipWithError("a wrong sum");
    for (auto _ : state) benchmark::DoNotOptimize(tp::from_file<float>(path, false, numel).clone().data());
  });
  const auto limit = group + "/huge_pages";
  bench::add_case(limit, [path](benchmark::State& state) {
    for (auto _ : state) copy_to_huge_pages(path);
  });
  compared.insert(compared.end(),
                  {{group + "/update", group + "/update_by_hand"}, {group + "/update", limit}, {group + "/clone", limit}});
  if constexpr (bench::with_torch) {
    bench::add_case(group + "/update_torch", [path](benchmark::State& state) {
      for (auto _ : state) bench::torch_tensor{path.string(), false, numel}.add_one();
    });
    bench::add_case(group + "/clone_torch", [path](benchmark::State& state) {
      for (auto _ : state) bench::torch_tensor{path.string(), false, numel}.clone();
    });
    compared.insert(compared.end(), {{group + "/update", group + "/update_torch", update, limit},
                                     {limit, group + "/update_torch"},
                                     {group + "/clone", group + "/clone_torch", clone, limit},
                                     {limit, group + "/clone_torch"}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  const bench::scratch_folder scratch;
  std::vector<bench::comparison> compared;
  add_group("large_folios", scratch.file_of_ones("large", numel, bench::large_piece), 0.30, 0.30, compared);
  add_group("small_folios", scratch.file_of_ones("small", numel, bench::small_piece), 0.50, 0.45, compared);
  return bench::run(argc, argv, compared, 20);
}
