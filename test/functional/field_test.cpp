// Files that others wrote: the packages libonnx-testdata and pocketsphinx-en-us.
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

import tensorplay.functional;

namespace tp = tensorplay;
using unaligned_float = tp::packed<float, std::endian::little>;

namespace {

const std::filesystem::path nodes{"/usr/share/libonnx-testdata/data/node"};
const std::filesystem::path means{"/usr/share/pocketsphinx/model/en-us/en-us/means"};

void require_file(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) SKIP(path.string() + " is not installed");
}

std::filesystem::path data_set(const std::string& node) {
  return nodes / ("test_reduce_" + node + "_random") / "test_data_set_0";
}

/// The tensor "data" of a test of one reduction: three dimensions behind a header of 16 bytes.
tp::tensor<const unaligned_float, 3> data(const std::string& node) {
  return tp::from_file<const unaligned_float>(data_set(node) / "input_0.pb", false, {3, 2, 2}, {.offset = 16});
}

/// What the reduction gives: behind 17 bytes without the reduced dimension, behind 19 with it.
tp::tensor<const unaligned_float, 2> reduced(const std::string& node) {
  return tp::from_file<const unaligned_float>(data_set(node) / "output_0.pb", false, {3, 2}, {.offset = 17});
}
tp::tensor<const unaligned_float, 3> kept(const std::string& node) {
  return tp::from_file<const unaligned_float>(data_set(node) / "output_0.pb", false, {3, 1, 2}, {.offset = 19});
}

/// What the speech models' checksum makes of 32-bit words.
template <class Words>
std::uint32_t checksum(const Words& words) {
  std::uint32_t sum = 0;
  for (const std::uint32_t word : words) sum = std::rotl(sum, 20) + word;
  return sum;
}

}  // namespace

TEST_CASE("float32 arrays at odd offsets are read in place: ONNX's reductions are ours", "[field]") {
  require_file(nodes);
  CHECK(tp::equal(tp::min(data("min_do_not_keepdims"), 1), reduced("min_do_not_keepdims")));
  CHECK(tp::equal(tp::min(data("min_keepdims"), 1).unsqueeze(1), kept("min_keepdims")));
  CHECK(tp::equal(tp::max(data("max_do_not_keepdims"), 1), reduced("max_do_not_keepdims")));
  CHECK(tp::equal(tp::max(data("max_keepdims"), 1).unsqueeze(1), kept("max_keepdims")));
  CHECK(tp::equal(tp::sum(data("sum_do_not_keepdims"), 1), reduced("sum_do_not_keepdims")));
  CHECK(tp::equal(tp::sum(data("sum_keepdims"), 1).unsqueeze(1), kept("sum_keepdims")));
  CHECK(tp::equal(tp::mean(data("mean_do_not_keepdims"), 1), reduced("mean_do_not_keepdims")));
  CHECK(tp::equal(tp::mean(data("mean_keepdims"), 1).unsqueeze(1), kept("mean_keepdims")));
}

TEST_CASE("plain float32 at an odd offset is refused by a message that names packed", "[field]") {
  require_file(nodes);
  try {
    tp::from_file<const float>(data_set("min_do_not_keepdims") / "output_0.pb", false, {3, 2}, {.offset = 17});
    FAIL("no error");
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    CHECK(text.find("multiple of 4") != std::string::npos);
    CHECK(text.find("17") != std::string::npos);
    CHECK(text.find("packed") != std::string::npos);
  }
}

TEST_CASE("an array that stops before the end of its file is exact: the checksum behind it is right", "[field]") {
  require_file(means);
  const std::int64_t numel = std::int64_t{42} * 3 * 128 * 13;
  const auto values = tp::from_file<const float>(means, false, {42, 3, 128, 13}, {.offset = 72});
  REQUIRE(values.numel() == numel);
  const auto stored = tp::from_file<const std::uint32_t>(means, false, tp::whole_file, {.offset = 72 + 4 * numel});
  REQUIRE(stored.numel() == 1);
  // Seven words of sizes stand in front of the values and are part of the sum.
  const auto words = tp::from_file<const std::uint32_t>(means, false, numel + 7, {.offset = 72 - 4 * 7});
  CHECK(checksum(words) == stored[0]);
  CHECK(tp::equal(words.narrow(0, 7, numel), values.flatten().view_as<std::uint32_t>()));
}
