#include <algorithm>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

import tensorplay.functional;

#include "elements.hpp"

namespace tp = tensorplay;

namespace {
template <class T>
T of(double value) {
  return static_cast<T>(static_cast<float>(value));
}

template <class T>
tp::tensor<T, 2> counted(std::int64_t rows, std::int64_t columns) {
  auto made = tp::empty<T>(rows, columns);
  for (int at = 0; auto& element : made) element = of<T>(at++ % 11 + 1);
  return made;
}

template <class Elements>
concept can_be_added_to = requires(const Elements& elements) { tp::add_(elements, 1); };
}  // namespace

static_assert(can_be_added_to<tp::tensor<float>> && can_be_added_to<tp::tensor_view<int, 2>> && can_be_added_to<tp::any_tensor>);
static_assert(!can_be_added_to<tp::tensor<const float>> && !can_be_added_to<std::vector<float>>);

TEMPLATE_TEST_CASE("a number is added, subtracted, multiplied and divided in every element", "[inplace]", NUMERIC_ELEMENTS) {
  const auto t = counted<TestType>(30, 50);
  const auto check = [&](double wanted) { CHECK(t(1, 2) == of<TestType>(wanted)); };
  REQUIRE(t(1, 2) == of<TestType>(9));
  tp::add_(t, 2);
  check(11);
  tp::sub_(t, 1);
  check(10);
  tp::mul_(t, 4);
  check(40);
  if constexpr (std::integral<TestType>) {
    CHECK_THROWS_AS(tp::div_(t, 2), std::invalid_argument);
    check(40);
  } else {
    tp::div_(t, 8);
    check(5);
  }
}

TEMPLATE_TEST_CASE("operations with a tensor are those of its elements, whatever the layouts", "[inplace]", NUMERIC_ELEMENTS) {
  const auto check = [](const auto& t, const auto& by) {
    auto wanted = t.clone();
    tp::add_(t, by);
    tp::mul_(t, by);
    tp::sub_(t, by);
    for (std::int64_t i = 0; i < t.shape()[0]; ++i) {
      for (std::int64_t j = 0; j < t.shape()[1]; ++j) {
        const auto sum = static_cast<TestType>(wanted(i, j) + by(i, j));
        const auto product = static_cast<TestType>(sum * by(i, j));
        wanted(i, j) = static_cast<TestType>(product - by(i, j));
      }
    }
    CHECK(tp::equal(t, wanted));
  };
  check(counted<TestType>(40, 60), counted<TestType>(40, 60));
  check(counted<TestType>(40, 60), counted<TestType>(60, 40).transpose(0, 1));
  check(counted<TestType>(60, 40).transpose(0, 1), counted<TestType>(40, 60));
  check(counted<TestType>(40, 60).slice(1, 1, 60, 2), counted<TestType>(40, 30));
  check(counted<TestType>(40, 60), counted<TestType>(1, 60).expand(40, 60));
}

TEST_CASE("an operand of fewer rows or columns is repeated", "[inplace]") {
  const auto t = tp::zeros<float>(3, 4);
  tp::add_(t, tp::arange<float>(4));
  tp::mul_(t, tp::arange<float>(3).unsqueeze(1));
  CHECK(t(2, 3) == 6);
  CHECK(t(0, 3) == 0);
  tp::div_(t, tp::full<float>({1, 1}, 2));
  CHECK(t(2, 3) == 3);
  CHECK_THROWS_AS(tp::add_(t, tp::arange<float>(3)), std::invalid_argument);
  CHECK_THROWS_AS(tp::add_(t[0], t), std::invalid_argument);
  CHECK(t(2, 3) == 3);
}

TEST_CASE("operations give the elements back", "[inplace]") {
  auto t = tp::ones<float>(2);
  CHECK(tp::sum(tp::mul_(tp::add_(t, 1), 3)) == 12);
  tp::any_tensor any = t;
  CHECK(tp::div_(any, 2).as<float>()[0] == 3);
}

TEST_CASE("integers wrap", "[inplace]") {
  const auto t = tp::full<std::int8_t>({2}, 127);
  tp::add_(t, 1);
  CHECK(t[0] == -128);
  const auto low = tp::full<std::int64_t>({2}, std::numeric_limits<std::int64_t>::min());
  tp::sub_(low, 1);
  CHECK(low[1] == std::numeric_limits<std::int64_t>::max());
  const auto wide = tp::full<std::uint16_t>({2}, 65535);
  tp::mul_(wide, wide);
  CHECK(wide[0] == 1);
}

TEST_CASE("bool adds as or and multiplies as and", "[inplace]") {
  auto t = tp::zeros<tp::bool8_t>(2);
  tp::add_(t, true);
  CHECK(t[0]);
  tp::mul_(t, false);
  CHECK_FALSE(t[1]);
  CHECK_THROWS_AS(tp::sub_(t, true), std::invalid_argument);
  CHECK_THROWS_AS(tp::div_(t, true), std::invalid_argument);
}

TEST_CASE("division by zero is infinite or NaN", "[inplace]") {
  auto t = tp::arange<double>(2);
  tp::div_(t, 0);
  CHECK(std::isnan(t[0]));
  CHECK(std::isinf(t[1]));
}

TEST_CASE("results of a higher kind are refused, and the message names the dtype", "[inplace]") {
  const auto t = tp::ones<std::int32_t>(2);
  try {
    tp::add_(t, 1.5);
    FAIL("no error");
  } catch (const std::invalid_argument& error) {
    CHECK(std::string{error.what()}.find("int32") != std::string::npos);
    CHECK(std::string{error.what()}.find("real") != std::string::npos);
  }
  CHECK_THROWS_AS(tp::mul_(t, tp::ones<float>(2)), std::invalid_argument);
  CHECK_THROWS_AS(tp::add_(tp::ones<float>(2), std::complex<double>{1, 1}), std::invalid_argument);
  CHECK_THROWS_AS(tp::add_(tp::ones<std::uint8_t>(2), 300), std::invalid_argument);
  CHECK_THROWS_AS(tp::add_(tp::zeros<tp::bool8_t>(2), 1), std::invalid_argument);
  CHECK(t[0] == 1);
}

TEST_CASE("operands of a lower kind and of another size are converted", "[inplace]") {
  const auto t = tp::ones<float>(2);
  tp::add_(t, tp::full<std::int64_t>({2}, 3));
  tp::add_(t, tp::full<double>({2}, 0.5));
  tp::mul_(t, tp::full<tp::bool8_t>({2}, true));
  CHECK(t[1] == 4.5F);
  const auto c = tp::ones<std::complex<float>>(2);
  tp::mul_(c, std::complex<float>{0, 1});
  CHECK(c[0] == std::complex<float>{0, 1});
}

TEST_CASE("operands that overlap are read before they are written", "[inplace]") {
  const auto t = tp::arange<std::int64_t>(10'000);
  tp::add_(t.slice(0, 1), t.slice(0, 0, -1));
  CHECK(t[5000] == 5000 + 4999);
  const auto square = tp::arange<std::int64_t>(10'000).reshape(100, 100);
  tp::add_(square, square.transpose(0, 1));
  CHECK(square(3, 70) == 370 + 7003);
  CHECK(square(70, 3) == 370 + 7003);
  tp::add_(square, square);
  CHECK(square(70, 3) == 2 * (370 + 7003));
}

TEST_CASE("read-only and expanded elements are refused", "[inplace]") {
  const support::temporary_folder folder;
  support::write_values(folder / "f", {1.0F, 2.0F});
  const auto fixed = tp::from_file(folder / "f", false, 2, {.read_only = true});
  CHECK_THROWS_AS(tp::add_(fixed, 1), std::invalid_argument);
  CHECK_THROWS_AS(tp::add_(tp::ones<float>(1).expand(3), 1), std::invalid_argument);
}

TEST_CASE("a shared mapping is changed in the file, packed elements in their own byte order", "[inplace]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {0, 0x3F, 0x80, 0, 0});
  tp::add_(tp::from_file<tp::packed<float, std::endian::big>>(folder / "f", true, 1, {.offset = 1}), 1);
  CHECK(support::read_bytes(folder / "f") == support::bytes{0, 0x40, 0, 0, 0});
}

TEST_CASE("tensors without elements stay so", "[inplace]") {
  const auto none = tp::empty<float>(0);
  tp::add_(none, 1);
  tp::mul_(none, none);
  CHECK(none.empty());
}

TEST_CASE("an operation on all of a large private tensor changes neither its address nor the file", "[inplace]") {
  const support::temporary_folder folder;
  constexpr std::int64_t numel = 5 << 20;
  tp::arange<float>(numel).tofile(folder / "f", {.durable = false});
  const auto t = tp::from_file<float>(folder / "f", false, numel);
  const auto* address = t.data();
  const auto part = t.slice(0, 7, numel - 3).flatten();
  tp::add_(part, 1);
  CHECK(t.data() == address);
  CHECK(t(6) == 6);
  CHECK(t(7) == 8);
  CHECK(t(numel - 4) == numel - 3);
  CHECK(t(numel - 3) == numel - 3);
  tp::mul_(t, 2);
  CHECK(tp::sum(t) == static_cast<float>(numel * (numel - 1) + 2 * (numel - 10)));
  CHECK(tp::from_file<float>(folder / "f", false, numel)(7) == 7);
}
