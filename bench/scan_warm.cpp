// Maps 256 MiB that are in the file system's cache, adds them up, unmaps them.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
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

constexpr std::int64_t numel = 64 << 20;

/// The library's own kernel, so that all but libtorch differ in how the elements are reached alone.
float sum(std::span<const float> elements) { return tp::sum(tp::tensor_view<const float>{elements}); }

float sum_mapped(const std::filesystem::path& path) { return tp::sum(tp::from_file<const float>(path, false, numel)); }

float sum_by_hand(const std::filesystem::path& path) { return sum(bench::hand_mapping{path, false, numel}.span()); }

float sum_after_read(const std::filesystem::path& path) {
  std::vector<float> copy(numel);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  for (auto left = std::as_writable_bytes(std::span{copy}); !left.empty();) {
    const auto taken = ::read(file, left.data(), left.size());
    if (taken <= 0) break;
    left = left.subspan(static_cast<std::size_t>(taken));
  }
  ::close(file);
  return sum(copy);
}

float sum_after_ifstream(const std::filesystem::path& path) {
  std::vector<float> copy(numel);
  std::ifstream{path, std::ios::binary}.read(reinterpret_cast<char*>(copy.data()), numel * 4);
  return sum(copy);
}

void add_group(const std::string& group, const std::filesystem::path& path, std::vector<bench::comparison>& compared) {
  const auto add = [&](const std::string& name, float (*measured)(const std::filesystem::path&)) {
    bench::add_case(group + '/' + name, [measured, path](benchmark::State& state) {
      if (measured(path) != static_cast<float>(numel)) return state.SkipWithError("a wrong sum");
      for (auto _ : state) benchmark::DoNotOptimize(measured(path));
    });
  };
  const auto ours = group + "/tensorplay";
  add("tensorplay", sum_mapped);
  add("tensorplay_again", sum_mapped);
  add("by_hand", sum_by_hand);
  add("read", sum_after_read);
  add("ifstream", sum_after_ifstream);
  compared.insert(
      compared.end(),
      {{ours, ours + "_again"}, {ours, group + "/by_hand", 1.05}, {ours, group + "/read"}, {ours, group + "/ifstream"}});
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
