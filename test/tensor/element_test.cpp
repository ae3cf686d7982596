#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

import tensorplay.tensor;

namespace tp = tensorplay;

static_assert(sizeof(tp::bool8_t) == 1 && alignof(tp::bool8_t) == 1);
static_assert(std::is_trivially_copyable_v<tp::bool8_t>);
static_assert(std::is_convertible_v<bool, tp::bool8_t> && !std::is_convertible_v<const int*, tp::bool8_t>);
static_assert(sizeof(tp::float16_t) == 2 && sizeof(tp::bfloat16_t) == 2);
static_assert(tp::element<float> && tp::element<const float> && tp::element<std::complex<double>>);
static_assert(!tp::element<bool> && !tp::element<std::string> && !tp::element<float*>);
static_assert(tp::one_of<int, char, int> && !tp::one_of<int, char, long>);

TEST_CASE("a boolean byte of any value reads as whether it is zero", "[element]") {
  const std::uint8_t bytes[]{0, 1, 2, 255};
  const auto* booleans = reinterpret_cast<const tp::bool8_t*>(bytes);
  CHECK_FALSE(booleans[0]);
  CHECK(booleans[1]);
  CHECK(booleans[2]);
  CHECK(booleans[3]);
}

TEST_CASE("the half types convert to float and back", "[element]") {
  CHECK(static_cast<float>(static_cast<tp::float16_t>(1.5F)) == 1.5F);
  CHECK(static_cast<float>(static_cast<tp::bfloat16_t>(-3.0F)) == -3.0F);
  CHECK(static_cast<float>(static_cast<tp::float16_t>(65504.0F)) == 65504.0F);
}
