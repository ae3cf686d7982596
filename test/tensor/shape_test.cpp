#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

import tensorplay.tensor;

namespace tp = tensorplay;

namespace {
constexpr std::int64_t huge = std::int64_t{1} << 32;
}

static_assert(tp::contiguous_strides(std::array<std::int64_t, 3>{4, 3, 2}) == std::array<std::int64_t, 3>{6, 2, 1});
static_assert(tp::dims{2, 3} == tp::dims{std::array<std::int64_t, 2>{2, 3}});

TEST_CASE("a shape of run-time rank holds up to sixteen dimensions", "[shape]") {
  const tp::dims shape{2, 3, 4};
  CHECK(shape.size() == 3);
  CHECK(shape[2] == 4);
  CHECK_FALSE(shape.empty());
  CHECK(tp::dims{}.empty());
  CHECK(tp::dims{std::span<const std::int64_t>{std::vector<std::int64_t>(16, 1)}}.size() == 16);
  CHECK_THROWS_AS(tp::dims{std::span<const std::int64_t>{std::vector<std::int64_t>(17, 1)}}, std::invalid_argument);
}

TEST_CASE("a shape prints as Python prints a tuple", "[shape]") {
  CHECK(tp::shape_text(tp::dims{}) == "()");
  CHECK(tp::shape_text(tp::dims{10}) == "(10,)");
  CHECK(tp::shape_text(tp::dims{60'000, 28, 28}) == "(60000, 28, 28)");
}

TEST_CASE("the number of elements is checked for sign and overflow", "[shape]") {
  CHECK(tp::numel_of(tp::dims{}) == 1);
  CHECK(tp::numel_of(tp::dims{2, 3, 4}) == 24);
  CHECK(tp::numel_of(tp::dims{2, 0, 4}) == 0);
  CHECK_THROWS_AS(tp::numel_of(tp::dims{2, -1}), std::invalid_argument);
  CHECK_THROWS_AS(tp::numel_of(tp::dims{huge, huge}), std::invalid_argument);
  CHECK_THROWS_AS(tp::numel_of(tp::dims{huge, huge, 0}), std::invalid_argument);
}

TEST_CASE("the end in bytes is checked for sign and overflow", "[shape]") {
  CHECK(tp::end_in_bytes(10, 4) == 40);
  CHECK(tp::end_in_bytes(10, 4, 16) == 56);
  CHECK_THROWS_AS(tp::end_in_bytes(-1, 4), std::invalid_argument);
  CHECK_THROWS_AS(tp::end_in_bytes(1, 4, -1), std::invalid_argument);
  CHECK_THROWS_AS(tp::end_in_bytes(std::int64_t{1} << 61, 4), std::invalid_argument);
  CHECK_THROWS_AS(tp::end_in_bytes(1, 4, std::numeric_limits<std::int64_t>::max() - 3), std::invalid_argument);
  CHECK(tp::end_in_bytes(1, 4, std::numeric_limits<std::int64_t>::max() - 4) == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("row-major order is known by shape and strides", "[shape]") {
  CHECK(tp::is_row_major(tp::dims{2, 3}, tp::dims{3, 1}));
  CHECK(tp::is_row_major(tp::dims{1, 3}, tp::dims{99, 1}));
  CHECK(tp::is_row_major(tp::dims{0, 3}, tp::dims{1, 7}));
  CHECK_FALSE(tp::is_row_major(tp::dims{2, 3}, tp::dims{1, 2}));
  CHECK_FALSE(tp::is_row_major(tp::dims{3}, tp::dims{2}));
}

TEST_CASE("one dimension of a new shape may be left open", "[shape]") {
  tp::dims shape{4, -1, 2};
  tp::resolve_shape({shape.data(), shape.size()}, 24);
  CHECK(shape == tp::dims{4, 3, 2});
  for (auto bad : {tp::dims{-1, -1}, tp::dims{5, -1}, tp::dims{0, -1}, tp::dims{4, 5}, tp::dims{-2, 12}}) {
    CAPTURE(tp::shape_text(bad));
    CHECK_THROWS_AS(tp::resolve_shape({bad.data(), bad.size()}, 24), std::invalid_argument);
  }
}

TEST_CASE("negative dimensions and indices count from the end", "[shape]") {
  const tp::dims shape{2, 3};
  CHECK(tp::resolve_dimension(-1, shape) == 1);
  CHECK_THROWS_AS(tp::resolve_dimension(2, shape), std::out_of_range);
  CHECK_THROWS_AS(tp::resolve_dimension(-3, shape), std::out_of_range);
  CHECK(tp::resolve_index(-3, 1, shape) == 0);
  CHECK_THROWS_AS(tp::resolve_index(3, 1, shape), std::out_of_range);
}

TEST_CASE("a slice is clamped as Python clamps it", "[shape]") {
  const auto check = [](std::int64_t start, std::int64_t stop, std::int64_t step, std::int64_t first, std::int64_t length) {
    const auto range = tp::resolve_slice(start, stop, step, 10);
    CHECK(range.start == first);
    CHECK(range.length == length);
  };
  check(0, tp::slice_end, 1, 0, 10);
  check(2, 5, 1, 2, 3);
  check(-3, tp::slice_end, 1, 7, 3);
  check(0, -1, 1, 0, 9);
  check(-100, 100, 3, 0, 4);
  check(8, 2, 1, 8, 0);
  check(20, 30, 1, 10, 0);
  check(1, 8, 1'000'000'000'000, 1, 1);
  check(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::max(), 0, 1);
  CHECK_THROWS_AS(tp::resolve_slice(0, 1, 0, 10), std::invalid_argument);
  CHECK_THROWS_AS(tp::resolve_slice(0, 1, -1, 10), std::invalid_argument);
}

TEST_CASE("an index out of range is reported with its dimension and shape", "[shape]") {
  try {
    tp::throw_out_of_range(5, 1, tp::dims{2, 3});
  } catch (const std::out_of_range& error) {
    CHECK(std::string{error.what()} == "an index of dimension 1 of the shape (2, 3) was wanted, found 5");
  }
}
