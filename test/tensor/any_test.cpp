#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "support.hpp"

import tensorplay.storage;
import tensorplay.tensor;

namespace tp = tensorplay;

namespace {
tp::any_tensor numbers() {
  tp::tensor<float, 2> t{tp::allocate(24), {2, 3}};
  std::iota(t.begin(), t.end(), 0.0F);
  return t;
}
}  // namespace

TEST_CASE("a tensor of run-time type knows dtype, shape and sizes", "[any]") {
  const auto t = numbers();
  CHECK(t.dtype() == tp::float32);
  CHECK(t.layout() == tp::strided);
  CHECK(t.device().is_cpu());
  CHECK(t.dim() == 2);
  CHECK(t.shape() == tp::dims{2, 3});
  CHECK(t.strides() == tp::dims{3, 1});
  CHECK(t.numel() == 6);
  CHECK(t.nbytes() == 24);
  CHECK(t.is_writable());
  CHECK_FALSE(t.is_shared());
  CHECK(t.filename().empty());
}

TEST_CASE("as gives the typed tensor of the same elements", "[any]") {
  const auto t = numbers();
  t.as<float, 2>()(1, 2) = 9;
  CHECK(t.as<const float, 2>()(1, 2) == 9);
  CHECK(reinterpret_cast<const float*>(t.data())[5] == 9);
}

TEST_CASE("as refuses another dtype, another rank and stores to read-only elements", "[any]") {
  const support::temporary_folder folder;
  support::write_values(folder / "f", {1.0F, 2.0F});
  const auto t = numbers();
  CHECK_THROWS_AS((t.as<double, 2>()), std::invalid_argument);
  CHECK_THROWS_AS((t.as<float>()), std::invalid_argument);
  const tp::any_tensor fixed{tp::map_file(folder / "f", 8, {.mode = tp::access::read_only}), tp::float32, {2}};
  CHECK_FALSE(fixed.is_writable());
  CHECK_THROWS_AS(fixed.as<float>(), std::invalid_argument);
  CHECK(fixed.as<const float>()[1] == 2);
  const tp::any_tensor constant = tp::tensor<const float>{tp::tensor<float>{tp::allocate_zeroed(8), {2}}};
  CHECK_THROWS_AS(constant.as<float>(), std::invalid_argument);
}

TEST_CASE("elements that are not contiguous are given as strided ones alone", "[any]") {
  const tp::any_tensor turned = numbers().as<float, 2>().transpose(0, 1);
  CHECK_FALSE(turned.is_contiguous());
  CHECK_THROWS_AS((turned.as<float, 2>()), std::invalid_argument);
  CHECK(turned.as<float, 2, tp::memory_format::strided>()(2, 1) == 5);
  CHECK_THROWS_AS(turned.flatten(), std::invalid_argument);
}

TEST_CASE("visit calls with the typed tensor", "[any]") {
  const auto sum = [](const auto& typed) {
    double total = 0;
    for (const auto value : typed) {
      if constexpr (std::is_convertible_v<decltype(value), double>) total += static_cast<double>(value);
    }
    return total;
  };
  CHECK(numbers().visit(sum) == 15);
  CHECK(numbers().visit<2>([](const auto& typed) { return typed.shape()[1]; }) == 3);
  CHECK_THROWS_AS(numbers().visit<1>(sum), std::invalid_argument);
  const support::temporary_folder folder;
  support::write_values(folder / "f", {1.0F, 2.0F});
  const tp::any_tensor fixed{tp::map_file(folder / "f", 8, {.mode = tp::access::read_only}), tp::float32, {2}};
  CHECK(fixed.visit([](const auto& typed) { return std::is_const_v<std::remove_reference_t<decltype(*typed.data())>>; }));
  CHECK(fixed.visit(sum) == 3);
}

TEST_CASE("a default-constructed or moved-from tensor of run-time type is empty and safe", "[any]") {
  auto t = numbers();
  const auto moved = std::move(t);
  CHECK(moved.numel() == 6);
  for (const auto& empty : {t, tp::any_tensor{}}) {  // NOLINT: this is what is tested
    CHECK(empty.numel() == 0);
    CHECK(empty.shape() == tp::dims{0});
    CHECK(empty.as<float>().empty());
    empty.flush();
  }
}

TEST_CASE("reshape and tofile work without the type", "[any]") {
  const support::temporary_folder folder;
  CHECK(numbers().reshape({3, -1}).shape() == tp::dims{3, 2});
  CHECK_THROWS_AS(numbers().reshape({4, -1}), std::invalid_argument);
  numbers().tofile(folder / "f");
  CHECK(support::read_values<float>(folder / "f") == std::vector<float>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("a storage that is too small or misaligned is refused", "[any]") {
  const auto bytes = tp::allocate(16);
  CHECK_THROWS_AS((tp::any_tensor{bytes, tp::float32, {5}}), std::invalid_argument);
  CHECK_THROWS_AS((tp::any_tensor{bytes, tp::float32, {1}, 2}), std::invalid_argument);
  CHECK(tp::any_tensor{bytes, tp::uint8, {1}, 15}.numel() == 1);
}

TEST_CASE("every view of a tensor of run-time type keeps the elements alive", "[any]") {
  const auto made = [] {
    const auto t = numbers().reshape({1, 2, 3});
    return std::vector{t.row(0),        t.narrow(0, 0, 1),      t.squeeze(),          t.squeeze(0), t.unsqueeze(0),
                       t.select(0, 0),  t.expand({2, 1, 2, 3}), t.view_as(tp::int32), t.flatten(),  t.permute({2, 1, 0}),
                       t.reshape({-1}), t.transpose(0, 2),      t.slice(0, 0)};
  }();
  for (const auto& view : made) {
    CHECK(view.clone().view_as(tp::float32).flatten().as<float>()[5] >= 0);
    CHECK(view.storage().nbytes() == 24);
  }
  CHECK(made[0].as<float, 2>()(1, 2) == 5);
}
