#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "support.hpp"

import tensorplay.tensor;

namespace tp = tensorplay;
using cube = tp::tensor_view<int, 3>;

static_assert(std::is_trivially_copyable_v<cube>);
static_assert(std::is_convertible_v<cube, tp::tensor_view<const int, 3>>);
static_assert(!std::is_convertible_v<tp::tensor_view<const int, 3>, cube>);
static_assert(std::is_convertible_v<cube, tp::tensor_view<int, 3, tp::memory_format::strided>>);
static_assert(cube::dim() == 3);

namespace {
std::vector<int> counted(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

template <class View>
std::vector<int> elements(const View& view) {
  return {view.begin(), view.end()};
}
}  // namespace

TEST_CASE("a view knows its shape, strides and sizes", "[view]") {
  auto data = counted(24);
  const cube view{data.data(), {2, 3, 4}};
  CHECK(view.shape() == std::array<std::int64_t, 3>{2, 3, 4});
  CHECK(view.strides() == std::array<std::int64_t, 3>{12, 4, 1});
  CHECK(view.numel() == 24);
  CHECK(view.size() == 24);
  CHECK(view.nbytes() == 96);
  CHECK(view.is_contiguous());
  CHECK(view.span().size() == 24);
  CHECK(std::span<int>{view}.data() == data.data());
  CHECK(elements(view) == data);
}

TEST_CASE("elements are reached by all indices at once and one by one", "[view]") {
  auto data = counted(24);
  const cube view{data.data(), {2, 3, 4}};
  for (int i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::int64_t k = 0; k < 4; ++k) {
        const auto wanted = i * 12 + static_cast<int>(j) * 4 + static_cast<int>(k);
        CHECK(view(i, j, k) == wanted);
        CHECK(view.at(i, j, k) == wanted);
        CHECK(view[i][j][k] == wanted);
      }
    }
  }
  view(1, 2, 3) = -1;
  CHECK(data.back() == -1);
}

TEST_CASE("at refuses indices outside the shape", "[view]") {
  auto data = counted(6);
  const tp::tensor_view<int, 2> view{data.data(), {2, 3}};
  CHECK_THROWS_AS(view.at(2, 0), std::out_of_range);
  CHECK_THROWS_AS(view.at(0, 3), std::out_of_range);
  CHECK_THROWS_AS(view.at(-1, 0), std::out_of_range);
  CHECK_THROWS_AS(view.at(0, ~std::uint64_t{0}), std::out_of_range);
  CHECK_THROWS_AS((tp::tensor_view<int>{}.at(0)), std::out_of_range);
  CHECK_THROWS_AS((tp::tensor_view<int, 0>{}.at()), std::out_of_range);
}

TEST_CASE("a default-constructed view has no elements", "[view]") {
  const cube view;
  CHECK(view.numel() == 0);
  CHECK(view.empty());
  CHECK(view.data() == nullptr);
  CHECK(view.begin() == view.end());
  CHECK(view.span().empty());
  CHECK(tp::tensor_view<int, 0>{}.numel() == 0);
}

TEST_CASE("reshape and flatten give the same elements another shape", "[view]") {
  auto data = counted(24);
  const cube view{data.data(), {2, 3, 4}};
  CHECK(view.reshape(6, 4)(5, 3) == 23);
  CHECK(view.reshape({4, -1}).shape() == std::array<std::int64_t, 2>{4, 6});
  CHECK(view.reshape(std::array<std::int64_t, 1>{24})[7] == 7);
  CHECK(view.flatten().shape() == std::array<std::int64_t, 1>{24});
  CHECK_THROWS_AS(view.reshape(5, 5), std::invalid_argument);
  CHECK_THROWS_AS(view.transpose(0, 1).reshape(24), std::invalid_argument);
}

TEST_CASE("slice selects as Python does", "[view]") {
  auto data = counted(24);
  const cube view{data.data(), {2, 3, 4}};
  CHECK(elements(view.slice(2, 1, 4, 2)) == std::vector<int>{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23});
  CHECK(elements(view.slice(0, 1).slice(1, -1)) == std::vector<int>{20, 21, 22, 23});
  CHECK(view.slice(0, 5).numel() == 0);
  CHECK(elements(view.slice(-1, 0, 4, 3).slice(-1, 1)) == std::vector<int>{3, 7, 11, 15, 19, 23});
  CHECK_THROWS_AS(view.slice(3, 0, 1), std::out_of_range);
  CHECK_THROWS_AS(view.slice(0, 0, 1, 0), std::invalid_argument);
}

TEST_CASE("select drops a dimension, permute and transpose order them anew", "[view]") {
  auto data = counted(24);
  const cube view{data.data(), {2, 3, 4}};
  CHECK(elements(view.select(1, -1)) == std::vector<int>{8, 9, 10, 11, 20, 21, 22, 23});
  CHECK_THROWS_AS(view.select(0, 2), std::out_of_range);
  const auto turned = view.permute(2, 0, 1);
  CHECK(turned.shape() == std::array<std::int64_t, 3>{4, 2, 3});
  for (int i = 0; i < 4; ++i) CHECK(turned(i, 1, 2) == view(1, 2, i));
  CHECK_THROWS_AS(view.permute(0, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(view.permute(0, 1, 3), std::out_of_range);
  const auto swapped = view.transpose(0, -1);
  CHECK(swapped(3, 1, 0) == view(0, 1, 3));
  CHECK(swapped[3][1][0] == 7);
  CHECK_FALSE(swapped.is_contiguous());
}

TEST_CASE("a strided view becomes a contiguous one where its elements are, and is refused where not", "[view]") {
  auto data = counted(12);
  const tp::tensor_view<int, 2> view{data.data(), {4, 3}};
  const tp::tensor_view<int, 2> rows = view.slice(0, 1, 3);
  CHECK(elements(rows) == std::vector<int>{3, 4, 5, 6, 7, 8});
  CHECK_THROWS_AS((tp::tensor_view<int, 2>{view.slice(1, 0, 2)}), std::invalid_argument);
}

TEST_CASE("tofile writes row-major elements without a header", "[view]") {
  const support::temporary_folder folder;
  auto data = counted(6);
  const tp::tensor_view<int, 2> view{data.data(), {2, 3}};
  view.tofile(folder / "rows");
  view.transpose(0, 1).tofile(folder / "columns");
  view.slice(0, 2).tofile(folder / "none");
  tp::tensor_view<int>{}.tofile(folder / "empty");
  CHECK(support::read_values<int>(folder / "rows") == data);
  CHECK(support::read_values<int>(folder / "columns") == std::vector<int>{0, 3, 1, 4, 2, 5});
  CHECK(std::filesystem::file_size(folder / "none") == 0);
  CHECK(std::filesystem::file_size(folder / "empty") == 0);
}

TEST_CASE("a strided tensor larger than a piece is written whole", "[view]") {
  const support::temporary_folder folder;
  auto data = counted(3'000'000);
  const tp::tensor_view<int, 2> view{data.data(), {3, 1'000'000}};
  view.transpose(0, 1).tofile(folder / "f");
  const auto written = support::read_values<int>(folder / "f");
  REQUIRE(written.size() == data.size());
  CHECK(std::ranges::equal(written, view.transpose(0, 1)));
}
