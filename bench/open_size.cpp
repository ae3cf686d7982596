// Maps and unmaps sparse files of 1 GiB and of 1 TiB, more than memory: opening costs the same whatever the size.
#include <cstdint>
#include <filesystem>
#include <iostream>
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

/// Whether a private map takes a store to its last element and leaves the file as it is.
bool keeps_its_store(const bench::mapped_file& file) {
  const auto mapped = tp::from_file<float>(file.path, false, file.count);
  mapped[file.count - 1] = file.last + 1;
  return mapped[file.count - 1] == file.last + 1 &&
         tp::from_file<float>(file.path, false, file.count)[file.count - 1] == file.last;
}

void add_group(const std::string& group, const bench::mapped_file& file, std::vector<bench::comparison>& compared) {
  const auto ours = group + "/tensorplay";
  bench::register_mapper(ours, map_with_tensorplay, file);
  bench::register_mapper(group + "/by_hand", bench::map_by_hand, file);
  bench::register_mapper(group + "/boost", bench::map_with_boost, file);
  compared.insert(compared.end(), {{ours, group + "/by_hand"}, {ours, group + "/boost"}});
}

}  // namespace

int main(int argc, char** argv) {
  const bench::scratch_folder scratch;
  const auto sparse = [&](const char* name, std::int64_t nbytes) {
    return bench::mapped_file{scratch.sparse_file(name, nbytes), false, nbytes / std::int64_t{sizeof(float)}, 0};
  };
  const auto gibibyte = sparse("1GiB", std::int64_t{1} << 30);
  const auto tebibyte = sparse("1TiB", std::int64_t{1} << 40);
  if (!keeps_its_store(tebibyte)) {
    std::cerr << "a private map of 1 TiB lost a store or wrote it to its file\n";
    return 1;
  }

  std::vector<bench::comparison> compared{{"1TiB/tensorplay", "1TiB/tensorplay_again"},
                                          {"1TiB/tensorplay", "1GiB/tensorplay", 1.1, "1TiB/by_hand"},
                                          {"1TiB/by_hand", "1GiB/by_hand"}};
  bench::register_mapper("1TiB/tensorplay_again", map_with_tensorplay, tebibyte);
  add_group("1TiB", tebibyte, compared);
  add_group("1GiB", gibibyte, compared);
  if constexpr (bench::with_torch) {
    bench::register_mapper("1GiB/torch", bench::map_with_torch, gibibyte);  // it refuses a private map larger than memory
    compared.push_back({"1GiB/tensorplay", "1GiB/torch"});
  }
  return bench::run(argc, argv, compared);
}
