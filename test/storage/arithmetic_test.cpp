#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <optional>

import tensorplay.storage;

namespace tp = tensorplay;

namespace {
constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
}  // namespace

static_assert(tp::checked_add(2, 3) == 5);
static_assert(!tp::checked_add(largest, 1));
static_assert(!tp::checked_add(lowest, -1));
static_assert(tp::checked_multiply(-4, 5) == -20);
static_assert(!tp::checked_multiply(largest, 2));

TEST_CASE("a sum or product within the range is given, one outside it is not", "[arithmetic]") {
  CHECK(tp::checked_add(largest - 1, 1) == largest);
  CHECK_FALSE(tp::checked_add(largest, 1).has_value());
  CHECK(tp::checked_multiply(std::int64_t{1} << 31, std::int64_t{1} << 31) == std::int64_t{1} << 62);
  CHECK_FALSE(tp::checked_multiply(std::int64_t{1} << 32, std::int64_t{1} << 31).has_value());
}
