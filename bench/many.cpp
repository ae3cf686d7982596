// 10 000 files of 4 KiB, each opened and added up; and 10 000 views of one mapping.
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

constexpr std::int64_t count = 10'000;
constexpr std::int64_t numel = 1024;

float sum(std::span<const float> elements) { return tp::sum(tp::tensor_view<const float>{elements}); }

/// Registers a case that adds up all, part by part.
template <class SumPart>
void add(const std::string& name, SumPart sum_part) {
  bench::add_case(name, [=](benchmark::State& state) {
    for (auto _ : state) {
      double total = 0;
      for (std::int64_t part = 0; part < count; ++part) total += static_cast<double>(sum_part(part));
      if (total != static_cast<double>(count * numel)) return state.SkipWithError("a wrong sum");
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  const bench::scratch_folder scratch;
  std::vector<std::filesystem::path> paths;
  for (std::int64_t file = 0; file < count; ++file) {
    paths.push_back(scratch.file_of_ones("f" + std::to_string(file), numel, numel));
  }
  const auto path_of = [&paths](std::int64_t file) -> const auto& { return paths[static_cast<std::size_t>(file)]; };
  add("files/tensorplay", [=](auto file) { return tp::sum(tp::from_file<const float>(path_of(file), false, numel)); });
  add("files/tensorplay_again", [=](auto file) { return tp::sum(tp::from_file<const float>(path_of(file), false, numel)); });
  add("files/by_hand", [=](auto file) { return sum(bench::hand_mapping{path_of(file), false, numel}.span()); });
  add("files/load", [=](auto file) { return tp::sum(tp::load<float>(path_of(file), numel)); });

  const auto rows =
      tp::from_file<const float>(scratch.file_of_ones("one", count * numel, bench::large_piece), false, {count, numel});
  add("views/subscript", [=](auto row) { return tp::sum(rows[row]); });
  add("views/select", [=](auto row) { return tp::sum(rows.select(0, row)); });
  add("views/pointer", [=](auto row) { return sum({rows.data() + row * numel, static_cast<std::size_t>(numel)}); });

  std::vector<bench::comparison> compared{{"files/tensorplay", "files/tensorplay_again"},
                                          {"files/tensorplay", "files/by_hand", 1.05},
                                          {"files/load", "files/tensorplay"},
                                          {"views/subscript", "views/pointer", 1.05},
                                          {"views/select", "views/pointer", 1.05}};
  if constexpr (bench::with_torch) {
    add("files/torch", [=](auto file) { return bench::torch_tensor{path_of(file).string(), false, numel}.sum(); });
    compared.insert(compared.end(),
                    {{"files/tensorplay", "files/torch", 0.92, "files/by_hand"}, {"files/by_hand", "files/torch"}});
    const bench::torch_tensor all{rows.data(), count, numel};
    add("views/torch", [&all](auto row) { return all.sum_of_row(row); });
    compared.push_back({"views/select", "views/torch"});
    return bench::run(argc, argv, compared, 20);
  }
  return bench::run(argc, argv, compared, 20);
}
