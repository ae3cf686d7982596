#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

import tensorplay.storage;
import tensorplay.tensor;

#include "elements.hpp"

namespace tp = tensorplay;

namespace {
template <class T, class U>
std::vector<U> converted(std::vector<T> values) {
  const tp::tensor_view<T> view{values.data(), {std::ssize(values)}};
  const auto made = tp::to<U>(view);
  return std::vector<U>(made.begin(), made.end());
}

template <class T>
tp::tensor<T, 2> counted(std::int64_t rows, std::int64_t columns) {
  tp::tensor<T, 2> made{tp::allocate(rows * columns * static_cast<std::int64_t>(sizeof(T))), {rows, columns}};
  for (int at = 0; auto& element : made) element = static_cast<T>(static_cast<float>(at++ % 2));
  return made;
}

constexpr auto infinity = std::numeric_limits<double>::infinity();
constexpr auto not_a_number = std::numeric_limits<double>::quiet_NaN();
}  // namespace

TEMPLATE_TEST_CASE("every type converts to every other and back", "[conversion]", ALL_ELEMENTS) {
  const auto t = counted<TestType>(3, 5);
  const tp::any_tensor any = t;
  for (auto type = tp::bool_; type <= tp::complex128; type = static_cast<tp::dtype>(static_cast<int>(type) + 1)) {
    INFO("to " << tp::name(type));
    if (tp::complex_element<TestType> && type != tp::bool_ && !tp::is_complex(type)) {
      CHECK_THROWS_AS(any.to(type), std::invalid_argument);
      continue;
    }
    const auto there = any.to(type);
    CHECK(there.dtype() == type);
    CHECK(there.shape() == tp::dims{3, 5});
    if (tp::is_complex(type) && !tp::complex_element<TestType>) {
      CHECK(there.to(tp::bool_).as<tp::bool8_t, 2>()(1, 0));
    } else {
      const auto back = there.to(tp::dtype_of<TestType>).template as<TestType, 2>();
      CHECK(std::equal(back.begin(), back.end(), t.begin()));
    }
  }
}

TEMPLATE_TEST_CASE("clone copies, contiguous shares what is contiguous, to shares what has the type", "[conversion]",
                   ALL_ELEMENTS) {
  const auto t = counted<TestType>(4, 3);
  const auto copy = t.clone();
  CHECK(copy.data() != t.data());
  CHECK(std::equal(copy.begin(), copy.end(), t.begin()));
  CHECK(t.contiguous().data() == t.data());
  CHECK(t.template to<TestType>().data() == t.data());
  const auto columns = t.transpose(0, 1);
  const auto made = columns.contiguous();
  CHECK(made.shape() == std::array<std::int64_t, 2>{3, 4});
  CHECK(std::equal(made.begin(), made.end(), columns.begin()));
  CHECK(made.data() != t.data());
  const auto same = columns.template to<TestType>();
  CHECK(std::equal(same.begin(), same.end(), columns.begin()));
  const tp::any_tensor any = columns;
  CHECK(any.contiguous().is_contiguous());
  CHECK(any.clone().data() != any.data());
}

TEMPLATE_TEST_CASE("fill_, zero_ and copy_ write every element of a view and none beside it", "[conversion]", ALL_ELEMENTS) {
  const auto t = counted<TestType>(6, 6);
  const auto zero = TestType{};
  const auto one = static_cast<TestType>(1.0F);
  t.zero_();
  CHECK(std::count(t.begin(), t.end(), zero) == 36);
  t.slice(0, 1, 6, 2).slice(1, 0, 4).fill_(1);
  CHECK(std::count(t.begin(), t.end(), one) == 12);
  CHECK(t(1, 3) == one);
  CHECK(t(1, 4) == zero);
  CHECK(t(2, 0) == zero);
  t.row(0).copy_(t.row(1));
  CHECK(t(0, 3) == one);
  t.copy_(t.row(0));
  CHECK(std::count(t.begin(), t.end(), one) == 24);
}

TEST_CASE("floats are cut towards zero, and out of range give the nearest limit", "[conversion]") {
  const std::vector<double> values{2.9, -2.9, 1e30, -1e30, infinity, -infinity, not_a_number, -0.5};
  CHECK(converted<double, std::int32_t>(values) ==
        std::vector<std::int32_t>{2, -2, 2147483647, -2147483648, 2147483647, -2147483648, 0, 0});
  CHECK(converted<double, std::uint8_t>(values) == std::vector<std::uint8_t>{2, 0, 255, 0, 255, 0, 0, 0});
  const auto high = std::numeric_limits<std::int64_t>::max();
  const auto low = std::numeric_limits<std::int64_t>::min();
  CHECK(converted<double, std::int64_t>({0x1p63, -0x1p63, 0x1.fffffffffffffp62}) ==
        std::vector<std::int64_t>{high, low, 0x7ffffffffffffc00});
  CHECK(converted<float, std::int64_t>({0x1p63F, -0x1p63F}) == std::vector<std::int64_t>{high, low});
  CHECK(converted<double, std::uint64_t>({0x1p64, -1.0, 0x1p63}) ==
        std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max(), 0, std::uint64_t{1} << 63});
  const auto half_infinity = static_cast<tp::float16_t>(infinity);
  CHECK(converted<tp::float16_t, std::int16_t>({half_infinity, static_cast<tp::float16_t>(-300.5F)}) ==
        std::vector<std::int16_t>{32767, -300});
}

TEST_CASE("integers wrap modulo two to the number of bits", "[conversion]") {
  CHECK(converted<std::int32_t, std::uint8_t>({-1, 256, 511}) == std::vector<std::uint8_t>{255, 0, 255});
  CHECK(converted<std::uint64_t, std::int8_t>({128, 255}) == std::vector<std::int8_t>{-128, -1});
}

TEST_CASE("bool is whether a number differs from zero", "[conversion]") {
  const auto made = converted<double, tp::bool8_t>({0.0, -0.0, 1e-300, not_a_number, -3});
  CHECK(std::vector<bool>(made.begin(), made.end()) == std::vector<bool>{false, false, true, true, true});
  const std::vector<std::uint8_t> bytes{0, 2, 255};
  const tp::tensor_view<const std::uint8_t> view{bytes.data(), {3}};
  const auto counts = tp::to<std::int32_t>(view.view_as<tp::bool8_t>());
  CHECK(std::vector<std::int32_t>{counts.begin(), counts.end()} == std::vector<std::int32_t>{0, 1, 1});
}

TEST_CASE("floats that are too large for the type become infinite", "[conversion]") {
  CHECK(std::isinf(converted<double, float>({1e300})[0]));
  CHECK(static_cast<float>(converted<double, tp::float16_t>({-65520.0})[0]) == -infinity);
  CHECK(static_cast<float>(converted<double, tp::float16_t>({65519.9})[0]) == 65504);
  CHECK(static_cast<float>(converted<std::int32_t, tp::float16_t>({70'000})[0]) == infinity);
}

TEST_CASE("half types are rounded once, from the exact value", "[conversion]") {
  // Just above the middle between 1 and the next number: a detour over float32 would round down to even.
  CHECK(static_cast<float>(converted<double, tp::float16_t>({1 + 0x1p-11 + 0x1p-50})[0]) == 1 + 0x1p-10F);
  CHECK(static_cast<float>(converted<double, tp::bfloat16_t>({1 + 0x1p-8 + 0x1p-50})[0]) == 1 + 0x1p-7F);
  const auto middle = (std::int64_t{1} << 60) + (std::int64_t{1} << 52);
  CHECK(static_cast<float>(converted<std::int64_t, tp::bfloat16_t>({middle})[0]) == 0x1p60F);
  CHECK(static_cast<float>(converted<std::int64_t, tp::bfloat16_t>({middle + 1})[0]) == 0x1p60F + 0x1p53F);
  CHECK(static_cast<float>(converted<std::int64_t, tp::bfloat16_t>({-middle - 1})[0]) == -0x1p60F - 0x1p53F);
  const auto high = std::uint64_t{1} << 63;
  CHECK(static_cast<float>(converted<std::uint64_t, tp::bfloat16_t>({high + high / 256 + 1})[0]) == 0x1p63F + 0x1p56F);
}

TEST_CASE("complex numbers keep both parts, and are refused to real types by a message that says why", "[conversion]") {
  const auto wide = converted<std::complex<float>, std::complex<double>>({{1.5F, -2}});
  CHECK(wide[0] == std::complex<double>{1.5, -2});
  CHECK(converted<float, std::complex<float>>({2})[0] == std::complex<float>{2, 0});
  const tp::any_tensor t{tp::allocate_zeroed(8), tp::complex64, {1}};
  try {
    t.to(tp::float32);
    FAIL("no error");
  } catch (const std::invalid_argument& error) {
    CHECK(std::string{error.what()}.find("imaginary") != std::string::npos);
  }
}

TEST_CASE("copy_ repeats smaller shapes and converts", "[conversion]") {
  const auto t = counted<std::int32_t>(3, 4);
  const std::vector<double> row{1.5, 2.5, 3.5, 4.5};
  t.copy_(tp::tensor_view<const double>{row.data(), {4}});
  CHECK(t(0, 0) == 1);
  CHECK(t(2, 3) == 4);
  CHECK_THROWS_AS(t.copy_(tp::tensor_view<const double>{row.data(), {3}}), std::invalid_argument);
  CHECK_THROWS_AS(t.row(0).copy_(t), std::invalid_argument);
  CHECK(t(0, 0) == 1);
}

TEST_CASE("copy_ reads elements that overlap before it writes them", "[conversion]") {
  tp::tensor<std::int32_t> t{tp::allocate(40'000), {10'000}};
  std::iota(t.begin(), t.end(), 0);
  t.slice(0, 1).copy_(t.slice(0, 0, -1));
  CHECK(t[0] == 0);
  CHECK(t[1] == 0);
  CHECK(t[5000] == 4999);
  CHECK(t[9999] == 9998);
  std::iota(t.begin(), t.end(), 0);
  const auto square = t.reshape(100, 100);
  square.copy_(square.transpose(0, 1));
  CHECK(square(3, 70) == 7003);
  CHECK(square(70, 3) == 370);
  square.copy_(square);
  CHECK(square(70, 3) == 370);
}

TEST_CASE("an expanded view is refused as destination", "[conversion]") {
  const auto t = counted<std::int32_t>(1, 4);
  CHECK_THROWS_AS(t.expand(3, 4).copy_(t), std::invalid_argument);
  CHECK_THROWS_AS(t.expand(3, 4).fill_(1), std::invalid_argument);
}

TEST_CASE("fill_ refuses a value outside the range and writes nothing", "[conversion]") {
  const auto t = counted<std::uint8_t>(2, 2);
  CHECK_THROWS_AS(t.fill_(256), std::invalid_argument);
  CHECK(t(0, 1) == 1);
}

TEST_CASE("elements of a read-only mapping are copied from and never written", "[conversion]") {
  const support::temporary_folder folder;
  support::write_values(folder / "f", {1.0F, 2.0F});
  const tp::any_tensor t{tp::map_file(folder / "f", 8, {.mode = tp::access::read_only}), tp::float32, {2}};
  CHECK_THROWS_AS(t.fill_(1), std::invalid_argument);
  CHECK_THROWS_AS(t.copy_(t), std::invalid_argument);
  CHECK(t.clone().is_writable());
  CHECK(t.to(tp::int16).as<std::int16_t>()[1] == 2);
  const auto fixed = t.as<const float>();
  CHECK(fixed.contiguous().data() == fixed.data());
  CHECK(fixed.to<float>().data() != fixed.data());
  fixed.clone()[0] = 5;
  CHECK(fixed[0] == 1);
}

TEST_CASE("tensors without elements are copied, filled and converted", "[conversion]") {
  const tp::tensor<float, 2> none;
  CHECK(none.clone().empty());
  CHECK(none.to<std::int8_t>().empty());
  CHECK(none.contiguous().empty());
  none.fill_(1);
  none.copy_(none);
  const tp::tensor<double, 0> nothing;
  CHECK(nothing.clone().numel() <= 1);
  CHECK(tp::any_tensor{}.clone().numel() == 0);
}
