// How the cost grows: of opening with the file's size, of a scan with its bytes, of views and of open files with their number.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hand_mapping.hpp"
#include "reporter.hpp"
#include "scratch.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

/// Registers a case of a series whose value grows.
template <class Measured>
void add(const std::string& series, std::int64_t value, Measured measured) {
  bench::add_case(series + '/' + std::to_string(value), [=](benchmark::State& state) {
    for (auto _ : state) {
      if (!measured()) return state.SkipWithError("a wrong result");
    }
  });
}

void add_opening(const bench::scratch_folder& scratch) {
  for (std::int64_t bytes = 4096; bytes <= std::int64_t{1} << 40; bytes *= 16) {
    const auto path = scratch.sparse_file("sparse" + std::to_string(bytes), bytes);
    add("open_bytes/tensorplay", bytes, [=] { return tp::from_file<float>(path, false, bytes / 4).nbytes() == bytes; });
    add("open_bytes/by_hand", bytes, [=] { return bench::hand_mapping{path, false, bytes / 4}.span().data() != nullptr; });
  }
}

void add_scans(const bench::scratch_folder& scratch) {
  constexpr std::int64_t most = 64 << 20;
  const auto path = scratch.file_of_ones("ones", most, bench::large_piece);
  for (std::int64_t numel = most; numel >= 1024; numel /= 4) {
    add("scan_bytes/tensorplay", numel * 4,
        [=] { return tp::sum(tp::from_file<const float>(path, false, numel)) == static_cast<float>(numel); });
    add("scan_bytes/by_hand", numel * 4, [=] {
      const bench::hand_mapping mapped{path, false, numel};
      return tp::sum(tp::tensor_view<const float>{std::span<const float>{mapped.span()}}) == static_cast<float>(numel);
    });
  }
}

void add_views(const bench::scratch_folder& scratch) {
  constexpr std::int64_t most = 1'000'000;
  const auto t = tp::from_file<const float>(scratch.sparse_file("views", most * 4), false, most);
  for (std::int64_t count = 10; count <= most; count *= 10) {
    add("views/tensorplay", count, [=] {
      std::vector<decltype(t.slice(0))> kept;
      kept.reserve(static_cast<std::size_t>(count));
      for (std::int64_t at = 0; at < count; ++at) kept.push_back(t.slice(0, at, at + 1));
      return kept.back().data() == t.data() + count - 1;
    });
  }
}

void add_files(const bench::scratch_folder& scratch) {
  constexpr std::int64_t most = 10'000;
  std::vector<std::filesystem::path> paths;
  for (std::int64_t at = 0; at < most; ++at) paths.push_back(scratch.sparse_file("f" + std::to_string(at), 4096));
  for (std::int64_t count = 10; count <= most; count *= 10) {
    add("open_files/tensorplay", count, [=, some = std::vector(paths.begin(), paths.begin() + count)] {
      std::vector<tp::tensor<const float>> kept;
      kept.reserve(some.size());
      for (const auto& path : some) kept.push_back(tp::from_file<const float>(path, false, 1024));
      return kept.back()[1023] == 0;
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::scratch_folder scratch;
  add_opening(scratch);
  add_scans(scratch);
  add_views(scratch);
  add_files(scratch);
  return bench::run(argc, argv, {}, 20);
}
