#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <ranges>
#include <vector>

import tensorplay.tensor;

namespace tp = tensorplay;
using strided_matrix = tp::tensor_view<int, 2, tp::memory_format::strided>;

static_assert(std::random_access_iterator<tp::strided_iterator<int, 2>>);
static_assert(std::random_access_iterator<tp::strided_iterator<const int, 3>>);
static_assert(std::contiguous_iterator<tp::tensor_view<int, 2>::iterator>);
static_assert(std::ranges::contiguous_range<tp::tensor_view<float>> && std::ranges::sized_range<tp::tensor_view<float>>);
static_assert(std::ranges::random_access_range<strided_matrix> && std::ranges::view<strided_matrix>);
static_assert(std::ranges::borrowed_range<tp::tensor_view<float>>);

namespace {
/// Three columns of two in a row-major array of 4 x 3, so that elements lie apart in both dimensions.
struct fixture {
  std::vector<int> data = [] {
    std::vector<int> values(12);
    std::iota(values.begin(), values.end(), 0);
    return values;
  }();
  strided_matrix columns{data.data(), {3, 2}, {1, 6}};
  std::vector<int> in_order{0, 6, 1, 7, 2, 8};
};
}  // namespace

TEST_CASE("strided elements are visited in row-major order", "[iterator]") {
  fixture f;
  CHECK(std::vector<int>(f.columns.begin(), f.columns.end()) == f.in_order);
  CHECK(f.columns.end() - f.columns.begin() == 6);
}

TEST_CASE("a strided iterator jumps, steps back and compares", "[iterator]") {
  fixture f;
  const auto begin = f.columns.begin();
  for (std::ptrdiff_t at = 0; at < 6; ++at) {
    CHECK(begin[at] == f.in_order[static_cast<std::size_t>(at)]);
    CHECK(*(at + begin) == *(begin + at));
  }
  auto back = f.columns.end();
  for (auto at = f.in_order.size(); at-- > 0;) CHECK(*--back == f.in_order[at]);
  CHECK(back == begin);
  CHECK(begin < f.columns.end());
  auto forth = begin;
  CHECK(*forth++ == 0);
  CHECK(*forth-- == 6);
  forth += 5;
  CHECK(*forth == 8);
  forth -= 2;
  CHECK(*forth == 7);
  while (forth != f.columns.end()) ++forth;
  CHECK(forth - begin == 6);
}

TEST_CASE("algorithms write through strided iterators", "[iterator]") {
  fixture f;
  std::ranges::sort(f.columns, std::greater{});
  CHECK(std::vector<int>(f.columns.begin(), f.columns.end()) == std::vector<int>{8, 7, 6, 2, 1, 0});
  CHECK(f.data == std::vector<int>{8, 6, 1, 3, 4, 5, 7, 2, 0, 9, 10, 11});
}

TEST_CASE("no elements and one element of rank zero are visited", "[iterator]") {
  fixture f;
  const tp::tensor_view<int, 2, tp::memory_format::strided> nothing{f.data.data(), {0, 2}, {1, 6}};
  CHECK(nothing.begin() == nothing.end());
  const tp::tensor_view<int, 0, tp::memory_format::strided> one{f.data.data() + 5, {}, {}};
  CHECK(std::vector<int>(one.begin(), one.end()) == std::vector<int>{5});
}

TEST_CASE("rows are visited as views that own nothing", "[iterator]") {
  std::vector<int> values(12);
  std::iota(values.begin(), values.end(), 0);
  const tp::tensor_view<int, 2> view{values.data(), {3, 4}};
  using rows = decltype(view.rows());
  static_assert(std::ranges::random_access_range<rows> && std::ranges::sized_range<rows> && std::ranges::view<rows>);
  static_assert(std::ranges::borrowed_range<rows>);
  static_assert(std::is_trivially_copyable_v<std::ranges::range_value_t<rows>>);
  static_assert(std::is_same_v<std::ranges::range_value_t<rows>, tp::tensor_view<int>>);
  int sum = 0;
  for (const auto row : view.rows()) sum += row[1] * 100 + static_cast<int>(row.size());
  CHECK(sum == 1500 + 12);
  CHECK(view.rows().size() == 3);
  CHECK(view.rows().begin()[2][3] == 11);
  CHECK((view.rows().end() - 1)[0][0] == 8);
  auto at = view.rows().begin();
  CHECK((*(1 + at))[0] == 4);
  CHECK((*at++)[0] == 0);
  CHECK((*at--)[0] == 4);
  CHECK((*(at += 2))[0] == 8);
  CHECK(at > view.rows().begin());
}
