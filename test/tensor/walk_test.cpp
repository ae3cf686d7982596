#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

import tensorplay.tensor;

namespace tp = tensorplay;

namespace {
std::vector<std::int32_t> counted(std::size_t count) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

std::vector<std::int32_t> pieces(const tp::any_view& elements) {
  std::vector<std::int32_t> seen;
  tp::for_each_piece<std::int32_t>(
      elements, [&](const std::int32_t* first, std::int64_t count) { seen.insert(seen.end(), first, first + count); });
  return seen;
}

template <class View>
std::vector<std::int32_t> one_by_one(const View& view) {
  return {view.begin(), view.end()};
}
}  // namespace

TEST_CASE("contiguous elements come in one piece that is not copied", "[walk]") {
  auto values = counted(5000);
  const tp::tensor_view<std::int32_t, 2> view{values.data(), {50, 100}};
  int calls = 0;
  tp::for_each_piece<std::int32_t>(view, [&](const std::int32_t* first, std::int64_t count) {
    ++calls;
    CHECK(first == values.data());
    CHECK(count == 5000);
  });
  CHECK(calls == 1);
}

TEST_CASE("pieces hold the elements of strided views in row-major order", "[walk]") {
  auto values = counted(3 * 70 * 50);
  const tp::tensor_view<std::int32_t, 3> view{values.data(), {3, 70, 50}};
  const auto permuted = view.permute(2, 0, 1);
  CHECK(pieces(permuted) == one_by_one(permuted));
  const auto sliced = view.slice(2, 3, 40).slice(1, 0, 70, 3);
  CHECK(pieces(sliced) == one_by_one(sliced));
  const auto expanded = view.select(1, 4).unsqueeze(0).expand(40, 3, 50);
  CHECK(pieces(expanded) == one_by_one(expanded));
  CHECK(pieces(view.slice(1, 5, 5)).empty());
  CHECK(pieces(tp::any_view{}).empty());
}

TEST_CASE("pieces of packed elements are native", "[walk]") {
  std::vector<tp::packed<std::int32_t, std::endian::big>> values{1, 256, -3};
  CHECK(pieces(tp::tensor_view<tp::packed<std::int32_t, std::endian::big>>{values.data(), {3}}) ==
        std::vector<std::int32_t>{1, 256, -3});
}

TEST_CASE("readers and writers of different layouts go in step", "[walk]") {
  auto from = counted(60 * 70);
  std::vector<std::int32_t> to(60 * 70);
  const auto source = tp::tensor_view<std::int32_t, 2>{from.data(), {60, 70}}.transpose(0, 1);
  const auto destination = tp::tensor_view<std::int32_t, 2>{to.data(), {70, 60}}.slice(1, 0, 60, 1);
  tp::piece_reader<std::int32_t> reader{source};
  for (tp::piece_writer<std::int32_t> writer{destination}; writer.remaining() > 0;) {
    const auto count = writer.count();
    const auto* values = reader.read(count);
    writer.write(count, false, [&](std::int32_t* first) { std::copy_n(values, count, first); });
  }
  CHECK(reader.remaining() == 0);
  CHECK(to == one_by_one(source));
}

TEST_CASE("a writer gathers present values where it is asked to and leaves the gaps alone", "[walk]") {
  auto values = counted(10);
  const auto even = tp::tensor_view<std::int32_t>{values.data(), {10}}.slice(0, 0, 10, 2);
  tp::piece_writer<std::int32_t> writer{even};
  writer.write(writer.count(), true, [](std::int32_t* first) {
    for (int at = 0; at < 5; ++at) first[at] *= 10;
  });
  CHECK(values == std::vector<std::int32_t>{0, 1, 20, 3, 40, 5, 60, 7, 80, 9});
}
