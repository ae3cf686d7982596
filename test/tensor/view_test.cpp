#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
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

TEST_CASE("row gives what the index gives, and counts negative ones from the end", "[view]") {
  auto data = counted(24);
  const cube view{data.data(), {2, 3, 4}};
  CHECK(view.row(-1).data() == view[1].data());
  CHECK(view.row(0).is_contiguous());
  CHECK_THROWS_AS(view.row(2), std::out_of_range);
}

TEST_CASE("narrow takes a range and clamps nothing", "[view]") {
  auto data = counted(24);
  const cube view{data.data(), {2, 3, 4}};
  CHECK(elements(view.narrow(2, -2, 2).select(1, 0)) == std::vector{2, 3, 14, 15});
  CHECK(view.narrow(0, 2, 0).empty());
  CHECK_THROWS_AS(view.narrow(2, 3, 2), std::out_of_range);
  CHECK_THROWS_AS(view.narrow(2, 0, -1), std::out_of_range);
  CHECK_THROWS_AS(view.narrow(2, -5, 1), std::out_of_range);
  CHECK_THROWS_AS(view.narrow(3, 0, 1), std::out_of_range);
}

TEST_CASE("dimensions of one element come and go", "[view]") {
  auto data = counted(6);
  const tp::tensor_view<int, 2> view{data.data(), {2, 3}};
  const auto more = view.unsqueeze(1);
  CHECK(more.shape() == std::array<std::int64_t, 3>{2, 1, 3});
  CHECK(more.is_contiguous());
  CHECK(elements(more) == data);
  CHECK(view.unsqueeze(-1).shape() == std::array<std::int64_t, 3>{2, 3, 1});
  CHECK(more.squeeze(1).shape() == view.shape());
  CHECK_THROWS_AS(more.squeeze(0), std::invalid_argument);
  CHECK_THROWS_AS(view.unsqueeze(3), std::out_of_range);
}

TEST_CASE("expand repeats without a copy", "[view]") {
  auto data = counted(3);
  const tp::tensor_view<int> view{data.data(), {3}};
  const auto wide = view.expand(2, -1);
  CHECK(wide.strides() == std::array<std::int64_t, 2>{0, 1});
  CHECK(elements(wide) == std::vector{0, 1, 2, 0, 1, 2});
  CHECK_FALSE(wide.is_contiguous());
  CHECK(elements(view.unsqueeze(1).expand(3, 2)) == std::vector{0, 0, 1, 1, 2, 2});
  CHECK_THROWS_AS(view.expand(4), std::invalid_argument);
  CHECK_THROWS_AS(view.expand(-1, 3), std::invalid_argument);
}

TEST_CASE("strided elements are reshaped where strides reach them and refused where not", "[view]") {
  auto data = counted(24);
  const cube view{data.data(), {2, 3, 4}};
  const auto left = view.slice(2, 0, 2);
  const auto joined = left.reshape(6, 2);
  CHECK(joined.strides() == std::array<std::int64_t, 2>{4, 1});
  CHECK(elements(joined) == elements(left));
  CHECK(elements(left.reshape(3, 2, 1, 2)) == elements(left));
  CHECK(elements(view.slice(0, 0, 2, 1).flatten()) == data);
  try {
    left.flatten();
    FAIL("no error");
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    CHECK(text.find("contiguous()") != std::string::npos);
    CHECK(text.find("(2, 3, 2)") != std::string::npos);
    CHECK(text.find("(12,)") != std::string::npos);
  }
}

TEST_CASE("view_as shows the same bytes as another type", "[view]") {
  std::vector<std::uint32_t> data{0x04030201, 0x08070605};
  const tp::tensor_view<std::uint32_t, 2> view{data.data(), {2, 1}};
  const auto bytes = view.view_as<std::uint8_t>();
  CHECK(bytes.shape() == std::array<std::int64_t, 2>{2, 4});
  CHECK(bytes(1, 3) == 8);
  CHECK(bytes.view_as<std::uint32_t>()(1, 0) == 0x08070605);
  CHECK(view.reshape(2).view_as<std::uint64_t>()[0] == 0x0807060504030201);
  CHECK(view.view_as<float>().shape() == view.shape());
  static_assert(std::is_same_v<decltype(tp::tensor_view<const int>{}.view_as<float>())::element_type, const float>);
}

TEST_CASE("view_as refuses bytes that make no whole elements, gaps, and addresses that the type cannot have", "[view]") {
  alignas(8) std::array<std::uint8_t, 24> data{};
  const tp::tensor_view<std::uint8_t, 2> view{data.data(), {3, 8}};
  CHECK_THROWS_AS((view.reshape(8, 3).view_as<std::uint16_t>()), std::invalid_argument);
  CHECK_THROWS_AS((view.slice(1, 0, 8, 2).view_as<std::uint16_t>()), std::invalid_argument);
  CHECK((view.slice(1, 0, 4).view_as<std::uint32_t>().shape()) == std::array<std::int64_t, 2>{3, 1});
  CHECK((view.slice(0, 0, 3, 2).view_as<std::uint32_t>().strides()) == std::array<std::int64_t, 2>{4, 1});
  CHECK_THROWS_AS((view.reshape(24).slice(0, 0, 24).reshape(3, 8).transpose(0, 1).view_as<std::uint16_t>()),
                  std::invalid_argument);
  try {
    view.flatten().slice(0, 1, 9).view_as<float>();
    FAIL("no error");
  } catch (const std::invalid_argument& error) {
    CHECK(std::string{error.what()}.find("packed") != std::string::npos);
  }
  CHECK((view.flatten().slice(0, 1, 9).view_as<tp::packed<float>>().numel()) == 2);
}

TEST_CASE("spans become views and views become spans", "[view]") {
  auto data = counted(6);
  const tp::tensor_view<int> view{std::span<int>{data}};
  CHECK(view.numel() == 6);
  view.fill_(3);
  CHECK(data == std::vector{3, 3, 3, 3, 3, 3});
  const std::span<const int> back = view;
  CHECK(back.size() == 6);
}

TEST_CASE("standard algorithms work on views", "[view]") {
  std::vector<int> data{3, 1, 2, 9, 7, 8};
  const tp::tensor_view<int, 2> view{data.data(), {2, 3}};
  std::ranges::sort(view[0]);
  std::ranges::sort(view.select(1, 0));
  CHECK(data == std::vector{1, 2, 3, 9, 7, 8});
  const auto columns = view.transpose(0, 1);
  std::ranges::sort(columns, std::ranges::greater{});
  CHECK(elements(columns) == std::vector{9, 8, 7, 3, 2, 1});
  CHECK(std::reduce(view.begin(), view.end()) == 30);
  std::atomic_ref<int>{view(0, 0)} += 5;
  CHECK(view(0, 0) == 14);
}
