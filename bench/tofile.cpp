// Saves 128 MiB to a new file.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "hand_mapping.hpp"
#include "reporter.hpp"
#include "scratch.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t numel = 32 << 20;

void save(const std::filesystem::path& path, const tp::tensor<float>& source) { source.tofile(path, {.durable = false}); }

void save_by_hand(const std::filesystem::path& path, const tp::tensor<float>& source) {
  bench::save_by_hand(path, std::as_bytes(source.span()));
}

void save_with_ofstream(const std::filesystem::path& path, const tp::tensor<float>& source) {
  std::ofstream{path, std::ios::binary}.write(reinterpret_cast<const char*>(source.data()), source.nbytes());
}

}  // namespace

int main(int argc, char** argv) {
  const bench::scratch_folder scratch;
  const auto source = tp::ones<float>(numel);
  const auto add = [&](const char* name, void (*measured)(const std::filesystem::path&, const tp::tensor<float>&)) {
    const auto path = scratch.path() / "new";
    bench::add_new_file_case(
        name, path, [=] { measured(path, source); }, [=] { return tp::equal(tp::load<float>(path, tp::whole_file), source); });
  };
  add("tofile/tensorplay", save);
  add("tofile/tensorplay_again", save);
  add("tofile/by_hand", save_by_hand);
  add("tofile/ofstream", save_with_ofstream);
  return bench::run(argc, argv,
                    {{"tofile/tensorplay", "tofile/tensorplay_again"},
                     {"tofile/tensorplay", "tofile/by_hand", 1.05},
                     {"tofile/tensorplay", "tofile/ofstream", 0.80, "tofile/by_hand"},
                     {"tofile/by_hand", "tofile/ofstream"}},
                    20);
}
