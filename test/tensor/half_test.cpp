// The half types against Eigen's.
#include <Eigen/Core>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

import tensorplay.tensor;

namespace tp = tensorplay;

namespace {

/// Floats at which a rounding can go wrong: each half, each middle between two, the neighbours of the middles, and random bits.
template <class Half>
std::vector<float> samples() {
  std::vector<float> made;
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  for (std::uint32_t bits = 0; bits < 0xffff; ++bits) {
    const auto low = static_cast<float>(std::bit_cast<Half>(static_cast<std::uint16_t>(bits)));
    const auto high = static_cast<float>(std::bit_cast<Half>(static_cast<std::uint16_t>(bits + 1)));
    const auto middle = std::isfinite(high) ? low / 2 + high / 2 : low;
    for (const auto value : {low, middle, std::nextafter(middle, infinity), std::nextafter(middle, -infinity)})
      made.push_back(value);
  }
  std::mt19937 random{1};
  for (int count = 0; count < 1'000'000; ++count) made.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  return made;
}

template <class Half, class Oracle>
std::size_t differences(const std::vector<float>& values) {
  const auto converted = tp::to<Half>(tp::tensor_view<const float>{values.data(), {std::ssize(values)}});
  std::size_t count = 0;
  for (std::size_t at = 0; at < values.size(); ++at) {
    const auto oracle = static_cast<Oracle>(values[at]);
    const bool is_same = std::isnan(values[at]) ? std::isnan(static_cast<float>(converted[at]))
                                                : std::bit_cast<std::uint16_t>(converted[at]) == oracle.x_bits();
    count += is_same ? 0 : 1;
  }
  return count;
}

struct eigen_half : Eigen::half {
  using half::half;
  std::uint16_t x_bits() const { return x; }
};
struct eigen_bfloat16 : Eigen::bfloat16 {
  using bfloat16::bfloat16;
  std::uint16_t x_bits() const { return value; }
};

/// Numbers of all 65536 whose float32 differs from the oracle's.
template <class Half, class Oracle>
std::size_t widening_differences() {
  std::vector<Half> halves;
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) halves.push_back(std::bit_cast<Half>(static_cast<std::uint16_t>(bits)));
  const auto converted = tp::to<float>(tp::tensor_view<const Half>{halves.data(), {std::ssize(halves)}});
  std::size_t count = 0;
  for (std::size_t at = 0; at < halves.size(); ++at) {
    const auto oracle = static_cast<float>(std::bit_cast<Oracle>(halves[at]));
    const bool is_same = std::isnan(oracle) ? std::isnan(converted[at])
                                            : std::bit_cast<std::uint32_t>(converted[at]) == std::bit_cast<std::uint32_t>(oracle);
    count += is_same ? 0 : 1;
  }
  return count;
}

}  // namespace

TEST_CASE("float32 becomes the float16 that Eigen makes", "[half]") {
  CHECK(differences<tp::float16_t, eigen_half>(samples<tp::float16_t>()) == 0);
}

TEST_CASE("float32 becomes the bfloat16 that Eigen makes", "[half]") {
  CHECK(differences<tp::bfloat16_t, eigen_bfloat16>(samples<tp::bfloat16_t>()) == 0);
}

TEST_CASE("every float16 and bfloat16 becomes the float32 that Eigen makes", "[half]") {
  CHECK(widening_differences<tp::float16_t, Eigen::half>() == 0);
  CHECK(widening_differences<tp::bfloat16_t, Eigen::bfloat16>() == 0);
}
