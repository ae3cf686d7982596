// A new shared file of 128 MiB is filled with a number, or gets the elements of a tensor. The limit is as many bytes written to a new
// file, by hand.
#include <cstdint>
#include <cstring>
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

constexpr std::int64_t numel = 32 << 20;
using writer = void (*)(const std::filesystem::path&, const tp::tensor<float>& source);

void fill(const std::filesystem::path& path, const tp::tensor<float>&) { tp::from_file<float>(path, true, numel).fill_(1); }

void copy(const std::filesystem::path& path, const tp::tensor<float>& source) {
  tp::from_file<float>(path, true, numel).copy_(source);
}

void create(const std::filesystem::path& path) {
  std::ofstream{path};
  std::filesystem::resize_file(path, numel * 4);
}

void fill_by_hand(const std::filesystem::path& path, const tp::tensor<float>&) {
  create(path);
  const bench::hand_mapping mapped{path, true, numel};
  for (auto& element : mapped.span()) element = 1;
}

void copy_by_hand(const std::filesystem::path& path, const tp::tensor<float>& source) {
  create(path);
  std::memcpy(bench::hand_mapping{path, true, numel}.span().data(), source.data(), numel * 4);
}

void write_by_hand(const std::filesystem::path& path, const tp::tensor<float>& source) {
  bench::save_by_hand(path, std::as_bytes(source.span()));
}

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  const bench::scratch_folder scratch;
  const auto source = tp::ones<float>(numel);
  const auto add = [&](const std::string& name, writer measured) {
    const auto path = scratch.path() / "new";
    bench::add_new_file_case(
        name, path, [=] { measured(path, source); },
        [=] { return tp::sum(tp::from_file<const float>(path, false, tp::whole_file)) == numel; });
  };
  add("fill/tensorplay", fill);
  add("fill/by_hand", fill_by_hand);
  add("copy/tensorplay", copy);
  add("copy/by_hand", copy_by_hand);
  add("limit", write_by_hand);
  std::vector<bench::comparison> compared{
      {"fill/tensorplay", "fill/by_hand"}, {"copy/tensorplay", "copy/by_hand"}, {"copy/tensorplay", "limit"}};
  if constexpr (bench::with_torch) {
    add("fill/torch", [](const std::filesystem::path& path, const tp::tensor<float>&) {
      bench::torch_tensor{path.string(), true, numel}.fill(1);
    });
    add("copy/torch", [](const std::filesystem::path& path, const tp::tensor<float>& elements) {
      bench::torch_tensor{path.string(), true, numel}.copy_from({elements.data(), numel, "float32"});
    });
    compared.insert(compared.end(), {{"fill/tensorplay", "fill/torch", 0.65, "limit"},
                                     {"copy/tensorplay", "copy/torch", 0.45, "limit"},
                                     {"limit", "copy/torch"}});
  }
  return bench::run(argc, argv, compared, 20);
}
