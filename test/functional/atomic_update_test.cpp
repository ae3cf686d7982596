#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "support.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

TEST_CASE("an update gives a file a whole new array, and the tensor is a mapping of it", "[atomic_update]") {
  const support::temporary_folder folder;
  const auto made = tp::atomic_update<std::int32_t>(folder / "f", {2, 3}, [](auto& rows) {
    CHECK(tp::count_nonzero(rows) == 0);
    rows.fill_(7);
  });
  CHECK(support::read_values<std::int32_t>(folder / "f") == std::vector<std::int32_t>(6, 7));
  CHECK(made.is_shared());
  CHECK(made.filename() == folder / "f");
  CHECK_FALSE(made.is_stale());
  made(1, 2) = 9;
  CHECK(support::read_values<std::int32_t>(folder / "f").back() == 9);
  CHECK(folder.names() == std::vector<std::string>{"f"});
}

TEST_CASE("who has the old array mapped keeps it, and sees that it is stale", "[atomic_update]") {
  const support::temporary_folder folder;
  support::write_values<float>(folder / "f", {1, 2, 3});
  const auto old = tp::from_file<float>(folder / "f", true, 3);
  tp::atomic_update<float>(folder / "f", 2, [](const tp::tensor<float>& elements) { elements.fill_(5); });
  CHECK(std::vector<float>(old.begin(), old.end()) == std::vector<float>{1, 2, 3});
  CHECK(old.is_stale());
  CHECK(support::read_values<float>(folder / "f") == std::vector<float>{5, 5});
}

TEST_CASE("during an update the old array is under the name, and after an exception too", "[atomic_update]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3});
  const auto descriptors = support::open_descriptors();
  const auto update = [&] {
    tp::atomic_update<std::uint8_t>(folder / "f", 5, [&](auto& elements) {
      elements.fill_(9);
      CHECK(support::read_bytes(folder / "f") == support::bytes{1, 2, 3});
      throw std::runtime_error{"changed my mind"};
    });
  };
  CHECK_THROWS_AS(update(), std::runtime_error);
  CHECK(support::read_bytes(folder / "f") == support::bytes{1, 2, 3});
  CHECK(folder.names() == std::vector<std::string>{"f"});
  CHECK(support::open_descriptors() == descriptors);
  CHECK(support::mappings_below(folder.path()) == 0);
}

TEST_CASE("an update takes its dtype at run time", "[atomic_update]") {
  const support::temporary_folder folder;
  const auto made =
      tp::atomic_update(folder / "f", {2, 2}, tp::float64, [](const tp::any_tensor& t) { t.fill_(1.5); }, {.durable = false});
  CHECK(made.dtype() == tp::float64);
  CHECK(support::read_values<double>(folder / "f") == std::vector<double>(4, 1.5));
}

TEST_CASE("an update to no elements gives an empty file", "[atomic_update]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3});
  int calls = 0;
  const auto made = tp::atomic_update<double>(folder / "f", 0, [&](auto& elements) { calls += elements.empty() ? 1 : 0; });
  CHECK(calls == 1);
  CHECK(made.numel() == 0);
  CHECK(support::read_bytes(folder / "f").empty());
}

TEST_CASE("an update refuses what it cannot do, before it calls fill", "[atomic_update]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3});
  const auto update = [&](std::int64_t size, const std::filesystem::path& path, tp::replacement_options options) {
    tp::atomic_update<double>(path, size, [](auto&) { FAIL("fill was called"); }, options);
  };
  CHECK_THROWS_AS(update(-1, folder / "f", {}), std::invalid_argument);
  CHECK_THROWS_AS(update(std::int64_t{1} << 61, folder / "f", {}), std::invalid_argument);
  CHECK_THROWS_AS(update(1, "", {}), std::invalid_argument);
  CHECK_THROWS_AS(update(1, folder / "f", {.append = true}), std::invalid_argument);
  CHECK_THROWS_AS(update(1, folder.path(), {}), tp::storage_error);
  const auto error = support::caught<tp::storage_error>([&] { update(1, folder / "f", {.overwrite = false}); });
  CHECK(error.value().code() == std::errc::file_exists);
  CHECK(support::read_bytes(folder / "f") == support::bytes{1, 2, 3});
  CHECK(folder.names() == std::vector<std::string>{"f"});
}
