// All of a shared map of 128 MiB plus one, against the same loop over a mapping by hand; then with the stores written to the device.
#include <cstdint>
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

void add_one(const std::filesystem::path& path, bool flush) {
  const auto t = tp::from_file<float>(path, true, numel);
  tp::add_(t, 1);
  if (flush) t.flush();
}

/// The same kernel.
void add_one_by_hand(const std::filesystem::path& path, bool flush) {
  const bench::hand_mapping mapped{path, true, numel};
  tp::add_(tp::tensor_view<float>{mapped.span()}, 1);
  if (flush) mapped.flush();
}

void add_one_with_torch(const std::filesystem::path& path, bool) {
  if constexpr (bench::with_torch) bench::torch_tensor{path.string(), true, numel}.add_one();
}

void add_group(const std::string& group, const std::filesystem::path& path, bool flush,
               std::vector<bench::comparison>& compared) {
  const auto add = [&](const std::string& name, void (*measured)(const std::filesystem::path&, bool)) {
    auto* added = bench::add_case(group + '/' + name, [measured, path, flush](benchmark::State& state) {
      tp::from_file<float>(path, true, numel).fill_(1);
      measured(path, flush);
      if (tp::sum(tp::from_file<const float>(path, true, numel)) != 2 * numel) return state.SkipWithError("a wrong sum");
      for (auto _ : state) measured(path, flush);
    });
    if (flush) added->UseRealTime();
  };
  const auto ours = group + "/tensorplay";
  add("tensorplay", add_one);
  add("tensorplay_again", add_one);
  add("by_hand", add_one_by_hand);
  compared.insert(compared.end(), {{ours, ours + "_again"}, {ours, group + "/by_hand", 1.02}});
  if (bench::with_torch && !flush) {
    add("torch", add_one_with_torch);
    compared.push_back({ours, group + "/torch"});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  const bench::scratch_folder scratch;
  std::vector<bench::comparison> compared;
  add_group("large_folios", scratch.file_of_ones("large", numel, bench::large_piece), false, compared);
  add_group("small_folios", scratch.file_of_ones("small", numel, bench::small_piece), false, compared);
  add_group("flush", scratch.file_of_ones("flush", numel, bench::large_piece), true, compared);
  return bench::run(argc, argv, compared, 20);
}
