#include <array>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

import tensorplay.functional;

#include "elements.hpp"

namespace tp = tensorplay;

TEMPLATE_TEST_CASE("rows are gathered in the order of their indices", "[indexing]", ALL_ELEMENTS) {
  auto t = tp::zeros<TestType>(6, 4);
  t[2].fill_(1);
  const std::vector<std::int64_t> indices{2, 0, 2};
  const auto rows = tp::index_select(t, 0, indices);
  CHECK(rows.shape() == std::array<std::int64_t, 2>{3, 4});
  CHECK(tp::count_nonzero(rows[0]) == 4);
  CHECK(tp::count_nonzero(rows[1]) == 0);
  CHECK(tp::count_nonzero(rows[2]) == 4);
}

TEST_CASE("every dimension of every layout is gathered as plain indices do", "[indexing]") {
  const auto t = tp::arange<std::int32_t>(3 * 4 * 5).reshape(3, 4, 5);
  const auto check = [](const auto& view, std::int64_t dimension) {
    const auto last = view.shape()[static_cast<std::size_t>(dimension)] - 1;
    const std::vector<std::int64_t> indices{last, 0, 1, 1};
    const auto found = tp::index_select(view, dimension - 3, indices);
    for (std::size_t at = 0; at < indices.size(); ++at) {
      CHECK(tp::equal(found.select(dimension, static_cast<std::int64_t>(at)), view.select(dimension, indices[at])));
    }
  };
  for (std::int64_t dimension = 0; dimension < 3; ++dimension) {
    check(t, dimension);
    check(t.permute(2, 0, 1), dimension);
    check(t.slice(2, 0, 5, 2), dimension);
  }
}

TEST_CASE("indices may be a tensor, a view, of 32 bits or of run-time type", "[indexing]") {
  const auto t = tp::arange<float>(10);
  CHECK(tp::index_select(t, 0, tp::arange<std::int64_t>(3))[2] == 2);
  CHECK(tp::index_select(t, 0, tp::full<std::int32_t>({2}, 7))[1] == 7);
  CHECK(tp::index_select(t, 0, tp::arange<std::int64_t>(10).slice(0, 1, 10, 4))[2] == 9);
  CHECK(tp::index_select(t, 0, tp::arange(5))[4] == 4);
  CHECK(tp::index_select(t, 0, std::array<std::int64_t, 1>{3})[0] == 3);
  CHECK(tp::index_select(tp::any_tensor{t}, 0, tp::arange(5)).dtype() == tp::float32);
  CHECK(tp::index_select(t, 0, tp::empty<std::int64_t>(0)).empty());
}

TEST_CASE("an index that is not there is named, and nothing is gathered", "[indexing]") {
  const auto t = tp::arange<float>(10);
  for (const std::int64_t wrong : {-1, 10}) {
    try {
      tp::index_select(t, 0, std::vector<std::int64_t>{0, wrong});
      FAIL("no error");
    } catch (const std::out_of_range& error) {
      CHECK(std::string{error.what()}.find(std::to_string(wrong)) != std::string::npos);
    }
  }
  CHECK_THROWS_AS(tp::index_select(t, 1, tp::arange(1)), std::out_of_range);
  CHECK_THROWS_AS(tp::index_select(tp::empty<float>(0), 0, tp::arange(1)), std::out_of_range);
}

TEST_CASE("indices of another rank or dtype are refused", "[indexing]") {
  const auto t = tp::arange<float>(10);
  CHECK_THROWS_AS(tp::index_select(t, 0, tp::zeros<std::int64_t>(1, 1)), std::invalid_argument);
  CHECK_THROWS_AS(tp::index_select(t, 0, tp::zeros<float>(1)), std::invalid_argument);
}

TEST_CASE("rows of a mapped file of another byte order become native", "[indexing]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {0, 1, 0, 2, 0, 3});
  const auto t = tp::from_file<const tp::packed<std::int16_t, std::endian::big>>(folder / "f", false, {3, 1});
  const auto rows = tp::index_select(t, 0, std::vector<std::int64_t>{2, 0});
  CHECK(rows(0, 0) == 3);
  CHECK(rows(1, 0) == 1);
}
