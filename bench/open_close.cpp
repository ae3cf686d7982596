// Maps and unmaps a file of 4 KiB without touching it: what opening costs beyond its system calls.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "config.hpp"
#include "mapper.hpp"
#include "reporter.hpp"
#include "scratch.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

float map_with_tensorplay(const std::filesystem::path& filename, bool shared, std::int64_t count, bench::touch read) {
  const auto mapped = tp::from_file<float>(filename, shared, count);
  return read == bench::touch::last_element ? mapped[count - 1] : 0;
}

/// The same for who knows the dtype only when the program runs.
float map_with_dtype(const std::filesystem::path& filename, bool shared, std::int64_t count, bench::touch read) {
  const auto mapped = tp::from_file(filename, shared, count, {.dtype = tp::float32});
  return read == bench::touch::last_element ? mapped.as<float>()[count - 1] : 0;
}

void add_group(const std::string& group, const bench::mapped_file& file, std::vector<bench::comparison>& compared) {
  const auto ours = group + "/tensorplay";
  bench::register_mapper(ours, map_with_tensorplay, file);
  bench::register_mapper(ours + "_again", map_with_tensorplay, file);
  bench::register_mapper(ours + "_dtype", map_with_dtype, file);
  bench::register_mapper(group + "/by_hand", bench::map_by_hand, file);
  bench::register_mapper(group + "/boost", bench::map_with_boost, file);
  const auto limit = group + "/boost_and_stats";
  bench::register_mapper(limit, bench::map_with_boost_and_stats, file);
  compared.insert(compared.end(), {{ours, ours + "_again"},
                                   {ours, group + "/by_hand", 1.05, limit},
                                   {ours + "_dtype", group + "/by_hand", 1.05, limit},
                                   {ours, limit},
                                   {limit, group + "/by_hand"},
                                   {ours, group + "/boost"}});
  if constexpr (bench::with_torch) {
    bench::register_mapper(group + "/torch", bench::map_with_torch, file);
    compared.insert(compared.end(),
                    {{ours, group + "/torch", 1.03, limit}, {limit, group + "/torch"}, {group + "/by_hand", group + "/torch"}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::scratch_folder scratch;
  std::vector<float> elements(1024, 1);
  elements.back() = 2;
  std::string bytes(elements.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  const auto path = scratch.text_file("4KiB", bytes);

  std::vector<bench::comparison> compared;
  add_group("private", {path, false, 1024, 2}, compared);
  add_group("shared", {path, true, 1024, 2}, compared);
  return bench::run(argc, argv, compared);
}
