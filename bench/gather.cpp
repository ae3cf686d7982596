// Rows in random order: 100 000 of 512 bytes in memory, and 2000 of 4 KiB from a file outside the file system's cache.
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
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

struct table {
  std::filesystem::path path;
  std::int64_t rows;
  std::int64_t columns;
  tp::tensor<std::int64_t> indices;
};

table make_table(const bench::scratch_folder& scratch, const std::string& name, std::int64_t rows, std::int64_t columns,
                 std::int64_t wanted) {
  auto indices = tp::empty<std::int64_t>(wanted);
  std::mt19937_64 engine;
  for (auto& index : indices) index = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(rows));
  return {scratch.file_of_ones(name, rows * columns, bench::large_piece), rows, columns, indices};
}

tp::tensor<const float, 2> mapped(const table& of) {
  return tp::from_file<const float>(of.path, false, std::array{of.rows, of.columns});
}

/// What one would write who knows of prefetching.
void copy_rows(const float* from, const table& of, float* to) {
  constexpr std::int64_t ahead = 16;
  constexpr std::int64_t line = 64 / sizeof(float);
  const auto wanted = of.indices.numel();
  for (std::int64_t at = 0; at < wanted; ++at) {
    if (at + ahead < wanted) {
      const auto* next = from + of.indices[at + ahead] * of.columns;
      for (std::int64_t column = 0; column < of.columns; column += line) __builtin_prefetch(next + column);
    }
    std::memcpy(to + at * of.columns, from + of.indices[at] * of.columns, static_cast<std::size_t>(of.columns) * sizeof(float));
  }
}

bool holds_ones(const tp::any_tensor& rows, const table& of) {
  return tp::sum(rows).to<float>() == static_cast<float>(of.indices.numel() * of.columns);
}

void add_warm(const table& of, std::vector<bench::comparison>& compared) {
  const auto from = mapped(of);
  tp::verify(from);
  bench::add_case("warm/tensorplay", [=](benchmark::State& state) {
    if (!holds_ones(tp::index_select(from, 0, of.indices), of)) return state.SkipWithError("wrong rows");
    for (auto _ : state) benchmark::DoNotOptimize(tp::index_select(from, 0, of.indices).data());
  });
  bench::add_case("warm/by_hand", [=](benchmark::State& state) {
    for (auto _ : state) {
      const auto to = tp::empty<float>(of.indices.numel(), of.columns);
      copy_rows(from.data(), of, to.data());
      benchmark::DoNotOptimize(to.data());
    }
  });
  compared.push_back({"warm/tensorplay", "warm/by_hand", 1.05});
  if constexpr (bench::with_torch) {
    bench::add_case("warm/torch", [=](benchmark::State& state) {
      const bench::torch_tensor rows{from.data(), of.rows, of.columns};
      const bench::torch_tensor indices{of.indices.data(), of.indices.numel(), "int64"};
      for (auto _ : state) rows.index_select(indices);
    });
    compared.push_back({"warm/tensorplay", "warm/torch", 0.75});
  }
}

/// What is measured is the time in the world: a processor that waits for a device does nothing.
void add_cold(const table& of, std::vector<bench::comparison>& compared) {
  const auto add = [&](const std::string& name, void (*gather)(const table&)) {
    bench::add_case(name, [=](benchmark::State& state) {
      for (auto _ : state) {
        state.PauseTiming();
        bench::drop_from_cache(of.path);
        state.ResumeTiming();
        gather(of);
      }
    })->UseRealTime();
  };
  add("cold/tensorplay",
      [](const table& from) { benchmark::DoNotOptimize(tp::index_select(mapped(from), 0, from.indices).data()); });
  add("cold/by_hand", [](const table& from) {
    const bench::hand_mapping rows{from.path, false, from.rows * from.columns};
    const auto to = tp::empty<float>(from.indices.numel(), from.columns);
    copy_rows(rows.span().data(), from, to.data());
    benchmark::DoNotOptimize(to.data());
  });
  compared.push_back({"cold/tensorplay", "cold/by_hand"});
  if constexpr (bench::with_torch) {
    add("cold/torch", [](const table& from) {
      const bench::torch_tensor rows{from.path.string(), false, from.rows, from.columns};
      rows.index_select({from.indices.data(), from.indices.numel(), "int64"});
    });
    compared.push_back({"cold/tensorplay", "cold/torch", 0.15});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  const bench::scratch_folder scratch;
  std::vector<bench::comparison> compared;
  add_warm(make_table(scratch, "warm", 1 << 20, 128, 100'000), compared);
  add_cold(make_table(scratch, "cold", 1 << 17, 1024, 2'000), compared);
  return bench::run(argc, argv, compared, 20);
}
