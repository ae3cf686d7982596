#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <stdexcept>

import tensorplay.tensor;

namespace tp = tensorplay;

TEST_CASE("a scalar knows which kind of number it holds", "[scalar]") {
  CHECK(tp::scalar{true}.is_bool());
  CHECK(tp::scalar{1}.is_integral());
  CHECK(tp::scalar{~std::uint64_t{0}}.is_integral());
  CHECK(tp::scalar{1.5F}.is_floating_point());
  CHECK(tp::scalar{static_cast<tp::bfloat16_t>(1.5F)}.is_floating_point());
  CHECK(tp::scalar{std::complex<float>{1, 2}}.is_complex());
}

TEST_CASE("a scalar converts to every type that holds it", "[scalar]") {
  CHECK(tp::scalar{300}.to<std::int16_t>() == 300);
  CHECK(tp::scalar{1.9}.to<std::int32_t>() == 1);
  CHECK(tp::scalar{-1.9}.to<std::int32_t>() == -1);
  CHECK(tp::scalar{-0.9}.to<std::uint8_t>() == 0);
  CHECK(tp::scalar{~std::uint64_t{0}}.to<std::uint64_t>() == ~std::uint64_t{0});
  CHECK(tp::scalar{2}.to<tp::bool8_t>());
  CHECK(tp::scalar{true}.to<double>() == 1);
  CHECK(static_cast<float>(tp::scalar{0.1}.to<tp::float16_t>()) == 0.0999755859375F);
  CHECK(tp::scalar{3}.to<std::complex<double>>() == std::complex<double>{3, 0});
  CHECK(tp::scalar{std::complex<double>{3, 0}}.to<float>() == 3);
  CHECK(std::isinf(tp::scalar{std::numeric_limits<double>::infinity()}.to<float>()));
  CHECK(std::isnan(tp::scalar{std::nan("")}.to<float>()));
}

TEST_CASE("a scalar outside the range of a type is refused", "[scalar]") {
  CHECK_THROWS_AS(tp::scalar{300}.to<std::uint8_t>(), std::invalid_argument);
  CHECK_THROWS_AS(tp::scalar{-1}.to<std::uint64_t>(), std::invalid_argument);
  CHECK_THROWS_AS(tp::scalar{0x1p63}.to<std::int64_t>(), std::invalid_argument);
  CHECK_THROWS_AS(tp::scalar{-1.0}.to<std::uint8_t>(), std::invalid_argument);
  CHECK_THROWS_AS(tp::scalar{std::nan("")}.to<std::int32_t>(), std::invalid_argument);
  CHECK_THROWS_AS(tp::scalar{1e300}.to<float>(), std::invalid_argument);
  CHECK_THROWS_AS(tp::scalar{1e6}.to<tp::float16_t>(), std::invalid_argument);
  CHECK_THROWS_AS((tp::scalar{std::complex<double>{1, 2}}.to<double>()), std::invalid_argument);
  CHECK(tp::scalar{-0x1p63}.to<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
}
