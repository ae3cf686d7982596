#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <vector>

import tensorplay.storage;
import tensorplay.tensor;

#include "elements.hpp"

namespace tp = tensorplay;
using big_float = tp::packed<float, std::endian::big>;
using little_float = tp::packed<float, std::endian::little>;

static_assert(sizeof(big_float) == 4 && alignof(big_float) == 1);
static_assert(std::is_trivially_copyable_v<big_float> && std::is_trivially_default_constructible_v<big_float>);
static_assert(tp::element<big_float> && tp::element<const big_float> && !tp::native_element<big_float>);
static_assert(std::is_same_v<tp::value_of<const big_float>, float> && std::is_same_v<tp::value_of<const int>, int>);
static_assert(tp::dtype_of<big_float> == tp::float32);
static_assert(tp::encoding_of<big_float> == tp::encoding::packed_big);
static_assert(tp::encoding_of<const little_float> == tp::encoding::packed_little);
static_assert(tp::encoding_of<const float> == tp::encoding::native);
static_assert(std::sortable<big_float*>);
static_assert(big_float{1.5F} == 1.5F);

TEMPLATE_TEST_CASE("packed elements read what was written, their bytes in the wanted order", "[packed]", NUMERIC_ELEMENTS) {
  const TestType value(3);
  std::array<std::byte, sizeof(TestType)> native{};
  std::memcpy(native.data(), &value, sizeof value);
  const tp::packed<TestType> same{value};
  const tp::packed<TestType, std::endian::native == std::endian::little ? std::endian::big : std::endian::little> other{value};
  CHECK(static_cast<TestType>(same) == value);
  CHECK(static_cast<TestType>(other) == value);
  CHECK(std::memcmp(&same, native.data(), sizeof value) == 0);
  const auto part = static_cast<std::ptrdiff_t>(tp::part_size<TestType>);
  for (auto at = native.begin(); at != native.end(); at += part) std::reverse(at, at + part);
  CHECK(std::memcmp(&other, native.data(), sizeof value) == 0);
}

TEST_CASE("a big-endian float has its sign in the first byte", "[packed]") {
  const std::uint8_t bytes[]{0xC0, 0x20, 0x00, 0x00};
  CHECK(*reinterpret_cast<const big_float*>(bytes) == -2.5F);
}

TEST_CASE("packed elements calculate in place", "[packed]") {
  big_float value{8.0F};
  value += 2;
  value -= 1;
  value *= 4;
  value /= 2;
  CHECK(value == 18.0F);
}

TEST_CASE("a view of packed elements stands at any address and is sorted in place", "[packed]") {
  std::array<std::byte, 13> memory{};
  const tp::tensor_view<big_float> view{reinterpret_cast<big_float*>(memory.data() + 1), {3}};
  view[0] = 3;
  view[1] = -1;
  view[2] = 2;
  std::ranges::sort(view, std::less<float>{});
  CHECK(view[0] == -1);
  CHECK(view[1] == 2);
  CHECK(view[2] == 3);
}

TEST_CASE("packed elements become native ones by to and stay packed by clone", "[packed]") {
  std::vector<big_float> values{1.5F, -2.0F, 1e20F};
  const tp::tensor_view<big_float> view{values.data(), {3}};
  const auto native = tp::to<float>(view);
  CHECK(native[0] == 1.5F);
  CHECK(native[1] == -2.0F);
  CHECK(native[2] == 1e20F);
  CHECK(tp::to<std::int32_t>(view)[1] == -2);
  const tp::tensor<big_float> copy = tp::clone(view);
  CHECK(std::memcmp(copy.data(), values.data(), 12) == 0);
  view.copy_(native.slice(0, 0, 3));
  CHECK(view[2] == 1e20F);
  view.fill_(7);
  CHECK(values[2] == 7);
}

TEST_CASE("packed elements keep their encoding at run time and become native by contiguous", "[packed]") {
  std::vector<big_float> values{1.5F, -2.0F};
  const tp::any_tensor any = tp::tensor<big_float>{tp::storage{}, tp::tensor_view<big_float>{values.data(), {2}}};
  CHECK(any.dtype() == tp::float32);
  CHECK(any.encoding() == tp::encoding::packed_big);
  CHECK(any.as<big_float>()[0] == 1.5F);
  CHECK_THROWS_AS(any.as<float>(), std::invalid_argument);
  CHECK_THROWS_AS(any.visit([](const auto&) {}), std::invalid_argument);
  CHECK(any.contiguous().as<float>()[1] == -2.0F);
  CHECK(any.to(tp::float32).as<float>()[0] == 1.5F);
}
