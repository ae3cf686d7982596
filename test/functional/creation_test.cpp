#include <algorithm>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

import tensorplay.functional;

namespace tp = tensorplay;

TEMPLATE_TEST_CASE("empty, zeros, ones and full work for every dtype", "[creation]", tp::bool8_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t, tp::float16_t,
                   tp::bfloat16_t, float, double, std::complex<float>, std::complex<double>) {
  constexpr auto type = tp::dtype_of<TestType>;
  const auto one = static_cast<TestType>(1);
  const auto all = [](const auto& tensor, TestType value) {
    return tensor.numel() == 6 && std::all_of(tensor.begin(), tensor.end(), [&](TestType found) { return found == value; });
  };
  CHECK(tp::empty<TestType>(2, 3).numel() == 6);
  CHECK(all(tp::zeros<TestType>(2, 3), TestType{}));
  CHECK(all(tp::ones<TestType>(2, 3), one));
  CHECK(all(tp::full<TestType>({2, 3}, one), one));
  CHECK(tp::empty({2, 3}, {.dtype = type}).dtype() == type);
  CHECK(all(tp::zeros({2, 3}, {.dtype = type}).template as<TestType, 2>(), TestType{}));
  CHECK(all(tp::ones({2, 3}, {.dtype = type}).template as<TestType, 2>(), one));
  CHECK(all(tp::full({2, 3}, 1, {.dtype = type}).template as<TestType, 2>(), one));
}

TEST_CASE("full takes the dtype of its value where none is given", "[creation]") {
  CHECK(tp::full({1}, true).dtype() == tp::bool_);
  CHECK(tp::full({1}, 7).dtype() == tp::int64);
  CHECK(tp::full({1}, 7.5F).dtype() == tp::float32);
  CHECK(tp::full({1}, std::complex<double>{1, 2}).dtype() == tp::complex64);
  CHECK_THROWS_AS(tp::full({1}, 300, {.dtype = tp::uint8}), std::invalid_argument);
  const auto sevens = tp::full({1000}, 7).as<std::int64_t>();
  CHECK(std::count(sevens.begin(), sevens.end(), 7) == 1000);
}

TEST_CASE("tensors may be empty or of rank zero", "[creation]") {
  CHECK(tp::zeros<float>(0, 3).numel() == 0);
  CHECK(tp::zeros<float>(0, 3).shape() == std::array<std::int64_t, 2>{0, 3});
  CHECK(tp::ones<float>()() == 1.0F);
  CHECK(tp::ones({}).numel() == 1);
  CHECK(tp::full({0}, 1).numel() == 0);
}

TEST_CASE("shapes that can never work are refused", "[creation]") {
  CHECK_THROWS_AS(tp::empty<float>(-1), std::invalid_argument);
  CHECK_THROWS_AS(tp::zeros({2, -3}), std::invalid_argument);
  CHECK_THROWS_AS(tp::empty<double>(std::int64_t{1} << 40, std::int64_t{1} << 40), std::invalid_argument);
  CHECK_THROWS_AS(tp::empty<double>(std::int64_t{1} << 61), std::invalid_argument);
}

TEST_CASE("arange counts from start to stop, stop left out", "[creation]") {
  const auto values = [](const auto& tensor) { return std::vector(tensor.begin(), tensor.end()); };
  CHECK(values(tp::arange<int>(4)) == std::vector{0, 1, 2, 3});
  CHECK(values(tp::arange<int>(5, 0, -2)) == std::vector{5, 3, 1});
  CHECK(values(tp::arange<double>(0.0, 1.0, 0.25)) == std::vector{0.0, 0.25, 0.5, 0.75});
  CHECK(tp::arange<double>(0.0, 1.0, 0.1).numel() == 10);
  CHECK(tp::arange<int>(3, 3).empty());
  CHECK(values(tp::arange<std::uint8_t>(250, 255, 3)) == std::vector<std::uint8_t>{250, 253});
  CHECK(tp::arange<std::int64_t>(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::max())
            .numel() == 3);
  CHECK(tp::arange(3).dtype() == tp::int64);
  CHECK(tp::arange(1, 3, 0.5).dtype() == tp::float32);
  CHECK(tp::arange(1, 3, 0.5).as<float>()[3] == 2.5F);
  CHECK(tp::arange(2.5).numel() == 3);
  CHECK(tp::arange(3, {.dtype = tp::float64}).as<double>()[2] == 2);
}

TEST_CASE("an arange that never arrives is refused", "[creation]") {
  CHECK_THROWS_AS(tp::arange<int>(0, 5, 0), std::invalid_argument);
  CHECK_THROWS_AS(tp::arange<int>(0, 5, -1), std::invalid_argument);
  CHECK_THROWS_AS(tp::arange<double>(0.0, 1.0, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(tp::arange<double>(0.0, std::numeric_limits<double>::infinity()), std::invalid_argument);
  CHECK_THROWS_AS(tp::arange(0, 1, 1, {.dtype = tp::complex64}), std::invalid_argument);
  CHECK_THROWS_AS(tp::arange<double>(0.0, 1e300), std::invalid_argument);
}
