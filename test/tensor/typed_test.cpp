#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support.hpp"

import tensorplay.storage;
import tensorplay.tensor;

namespace tp = tensorplay;

static_assert(std::is_base_of_v<tp::tensor_view<float, 2>, tp::tensor<float, 2>>);
static_assert(std::is_nothrow_move_constructible_v<tp::tensor<float>> && std::is_nothrow_move_assignable_v<tp::tensor<float>>);
static_assert(std::is_convertible_v<tp::tensor<float>, tp::tensor<const float>>);
static_assert(!std::is_convertible_v<tp::tensor<const float>, tp::tensor<float>>);
static_assert(std::is_same_v<decltype(std::declval<tp::tensor<const float>&>()[0]), const float&>);

TEST_CASE("a tensor takes a share of a storage", "[typed]") {
  const auto bytes = tp::allocate_zeroed(48);
  tp::tensor<float, 2> t{bytes, {2, 4}, 16};
  t(1, 3) = 2.5F;
  CHECK(t.dtype() == tp::float32);
  CHECK(reinterpret_cast<const float*>(bytes.data())[11] == 2.5F);
  CHECK(t.storage().nbytes() == 48);
}

TEST_CASE("a storage that is too small, misaligned or read-only is refused", "[typed]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", support::bytes(64, 0));
  const auto bytes = tp::allocate(48);
  CHECK_THROWS_AS((tp::tensor<float, 2>{bytes, {2, 7}}), std::invalid_argument);
  CHECK_THROWS_AS((tp::tensor<float>{bytes, {12}, 4}), std::invalid_argument);
  CHECK_THROWS_AS((tp::tensor<float>{bytes, {1}, 2}), std::invalid_argument);
  CHECK_THROWS_AS((tp::tensor<float>{bytes, {1}, -4}), std::invalid_argument);
  const auto read_only = tp::map_file(folder / "f", 64, {.mode = tp::access::read_only});
  CHECK_THROWS_AS((tp::tensor<float>{read_only, {16}}), std::invalid_argument);
  CHECK(tp::tensor<const float>{read_only, {16}}.numel() == 16);
}

TEST_CASE("a moved-from tensor is empty and safe", "[typed]") {
  tp::tensor<int, 2> t{tp::allocate_zeroed(24), {2, 3}};
  const auto moved = std::move(t);
  CHECK(moved.numel() == 6);
  CHECK(t.numel() == 0);  // NOLINT: this is what is tested
  CHECK(t.span().empty());
  CHECK(t.begin() == t.end());
  CHECK(t.filename().empty());
  CHECK_FALSE(t.is_shared());
  t.flush();
  const auto copy = t;
  CHECK(copy.data() == nullptr);
  CHECK(t.slice(0).numel() == 0);
  CHECK(t.flatten().numel() == 0);
  t = moved;
  CHECK(t.numel() == 6);
  auto& same = t;
  t = std::move(same);
  CHECK(t.numel() == 6);
}

TEST_CASE("every view shares the elements and keeps them alive", "[typed]") {
  tp::tensor<int, 2> t{tp::allocate_zeroed(24), {2, 3}};
  for (int at = 0; auto& value : t) value = at++;
  const auto row = t.select(0, 1);
  const auto slice = t.slice(1, 1);
  const auto shaped = t.reshape(3, 2);
  const auto braced = t.reshape({6, -1});
  const auto flat = t.flatten();
  const auto turned = t.permute(1, 0);
  const tp::tensor<int> kept = t.reshape(-1).slice(0, 2, 5);
  t(1, 2) = 50;
  t = {};
  CHECK(row(2) == 50);
  CHECK(slice(1, 1) == 50);
  CHECK(shaped(2, 1) == 50);
  CHECK(braced.shape() == std::array<std::int64_t, 2>{6, 1});
  CHECK(flat[5] == 50);
  CHECK(turned(2, 1) == 50);
  CHECK(turned.transpose(0, 1)(1, 2) == 50);
  CHECK(std::vector<int>(kept.begin(), kept.end()) == std::vector<int>{2, 3, 4});
}

TEST_CASE("a tensor of rank zero holds one element", "[typed]") {
  tp::tensor<double, 0> one{tp::allocate_zeroed(8), std::array<std::int64_t, 0>{}};
  CHECK(one.numel() == 1);
  one() = 3.5;
  CHECK(one.at() == 3.5);
  CHECK(one.reshape(1)[0] == 3.5);
  CHECK(tp::tensor<double, 0>{}.numel() == 0);
}

TEST_CASE("every view of a tensor keeps the elements alive", "[typed]") {
  const auto made = [] {
    tp::tensor<std::int32_t, 3> t{tp::allocate_zeroed(48), {1, 3, 4}};
    t(0, 2, 3) = 7;
    return std::tuple{t.row(0),
                      t.narrow(0, 0, 1),
                      t.squeeze(0),
                      t.unsqueeze(0),
                      t.select(0, 0),
                      t.expand(2, 1, 3, 4),
                      t.view_as<std::uint8_t>(),
                      t.permute(2, 1, 0),
                      t.reshape(2, 6),
                      t.transpose(0, 2),
                      t.slice(0, 0),
                      t.flatten()};
  }();
  std::ptrdiff_t total = 0;
  std::apply([&](const auto&... view) { ((total += std::ranges::count(view, 7)), ...); }, made);
  CHECK(total == 13);  // expand shows it twice
}
