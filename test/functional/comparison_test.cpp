#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

import tensorplay.functional;

#include "elements.hpp"

namespace tp = tensorplay;

namespace {
constexpr auto not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr auto infinity = std::numeric_limits<float>::infinity();

tp::tensor<float> one(float value) { return tp::full<float>({1}, value); }
}  // namespace

TEMPLATE_TEST_CASE("equal compares shapes and every element, whatever the layouts", "[comparison]", ALL_ELEMENTS) {
  const auto t = tp::zeros<TestType>(40, 50);
  t.select(0, 7).fill_(1);
  CHECK(tp::equal(t, t.clone()));
  CHECK(tp::equal(t, t.transpose(0, 1).clone().transpose(0, 1)));
  CHECK(tp::allclose(t, t.clone()));
  const auto other = t.clone();
  other.row(39)[49] = static_cast<TestType>(1.0F);
  CHECK_FALSE(tp::equal(t, other));
  CHECK_FALSE(tp::allclose(t, other));
  CHECK(tp::allclose(t, other, {.atol = 1}));
  CHECK_FALSE(tp::equal(t, t.reshape(50, 40)));
  CHECK_FALSE(tp::equal(t, t.flatten()));
}

TEST_CASE("equal refuses another dtype and takes packed elements", "[comparison]") {
  CHECK_THROWS_AS(tp::equal(tp::ones<float>(2), tp::ones<double>(2)), std::invalid_argument);
  using big = tp::packed<float, std::endian::big>;
  CHECK(tp::equal(tp::full<big>({2}, 1.0F), tp::ones<float>(2)));
}

TEST_CASE("NaN equals nothing, and is close to NaN where that is wanted", "[comparison]") {
  CHECK_FALSE(tp::equal(one(not_a_number), one(not_a_number)));
  CHECK_FALSE(tp::allclose(one(not_a_number), one(not_a_number)));
  CHECK(tp::allclose(one(not_a_number), one(not_a_number), {.equal_nan = true}));
  CHECK_FALSE(tp::allclose(one(not_a_number), one(1), {.equal_nan = true}));
  CHECK(tp::equal(tp::zeros<float>(1), one(-0.0F)));
}

TEST_CASE("infinities are close to themselves alone", "[comparison]") {
  CHECK(tp::allclose(one(infinity), one(infinity)));
  CHECK_FALSE(tp::allclose(one(infinity), one(-infinity)));
  CHECK_FALSE(tp::allclose(one(1), one(infinity)));
}

TEST_CASE("close is within the absolute and the relative tolerance of the second operand", "[comparison]") {
  CHECK(tp::allclose(one(1.000009F), one(1)));
  CHECK_FALSE(tp::allclose(one(1.00002F), one(1)));
  CHECK(tp::allclose(one(1), one(2), {.rtol = 0.5, .atol = 0}));
  CHECK_FALSE(tp::allclose(one(2), one(1), {.rtol = 0.5, .atol = 0}));
  const auto complex = tp::full<std::complex<double>>({1}, {3, 4});
  CHECK(tp::allclose(complex, tp::full<std::complex<double>>({1}, {3, 4.4}), {.rtol = 0.1}));
}

TEST_CASE("the distance of 64-bit integers is exact", "[comparison]") {
  const auto high = std::numeric_limits<std::int64_t>::max();
  const auto t = tp::full<std::int64_t>({1}, high);
  CHECK_FALSE(tp::allclose(t, tp::full<std::int64_t>({1}, high - 1), {.rtol = 0, .atol = 0.5}));
  CHECK_FALSE(tp::allclose(t, tp::full<std::int64_t>({1}, -high - 1), {.rtol = 0, .atol = 1e18}));
}

TEST_CASE("allclose names the dimension in which shapes differ", "[comparison]") {
  try {
    tp::allclose(tp::ones<float>(2, 3), tp::ones<float>(2, 4));
    FAIL("no error");
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    CHECK(text.find("(2, 3) and (2, 4)") != std::string::npos);
    CHECK(text.find("dimension 1") != std::string::npos);
  }
  CHECK_THROWS_AS(tp::allclose(tp::ones<float>(2), tp::ones<float>(2, 1)), std::invalid_argument);
  CHECK_THROWS_AS(tp::allclose(tp::ones<float>(2), tp::ones<double>(2)), std::invalid_argument);
}

TEST_CASE("tensors without elements are equal where their shapes are", "[comparison]") {
  CHECK(tp::equal(tp::empty<float>(0, 3), tp::empty<float>(0, 3)));
  CHECK_FALSE(tp::equal(tp::empty<float>(0, 3), tp::empty<float>(3, 0)));
}
