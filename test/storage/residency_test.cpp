#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "support.hpp"

import tensorplay.storage;

namespace tp = tensorplay;

namespace {

const std::int64_t page = ::sysconf(_SC_PAGESIZE);

/// A file of this many pages that the file system has in its cache no more.
void write_cold(const std::filesystem::path& path, std::int64_t pages) {
  support::write_bytes(path, support::bytes(static_cast<std::size_t>(pages * page), 5));
  support::drop_from_cache(path);
}

}  // namespace

TEST_CASE("residency counts pages in memory, and evict empties them of a shared mapping", "[residency]") {
  const support::temporary_folder folder;
  constexpr std::int64_t pages = 600;
  write_cold(folder / "f", pages);
  const auto bytes = tp::map_file(folder / "f", pages * page, {.mode = tp::access::read_write});
  const auto cold = tp::residency(bytes);
  CHECK(cold.pages == pages);
  CHECK(cold.resident_pages < pages);
  tp::verify(bytes);
  CHECK(tp::residency(bytes).resident_pages == pages);
  CHECK(tp::residency(bytes, page - 1, 2).pages == 2);
  CHECK(tp::residency(bytes, 5, 0).pages == 0);
  bytes.mutable_data()[7] = std::byte{9};
  tp::evict(bytes);
  CHECK(tp::residency(bytes).resident_pages < pages / 2);
  CHECK(bytes.data()[7] == std::byte{9});
}

TEST_CASE("evict keeps stores to private mappings", "[residency]") {
  const support::temporary_folder folder;
  write_cold(folder / "f", 4);
  const auto bytes = tp::map_file(folder / "f", 4 * page);
  bytes.mutable_data()[page] = std::byte{9};
  tp::evict(bytes);
  CHECK(bytes.data()[page] == std::byte{9});
  CHECK(bytes.data()[0] == std::byte{5});
}

TEST_CASE("heap memory and empty storages have no pages to count or to give back", "[residency]") {
  CHECK(tp::residency(tp::storage{}).pages == 0);
  CHECK(tp::residency(tp::allocate(100)).pages == 0);
  CHECK_NOTHROW(tp::evict(tp::allocate(100)));
  CHECK_THROWS_AS(tp::residency(tp::allocate(100), 1, 100), std::invalid_argument);
  CHECK_THROWS_AS(tp::evict(tp::allocate(100), -1, 1), std::invalid_argument);
}

TEST_CASE("a scattered read asks for cold places, and for no page beside them", "[residency]") {
  const support::temporary_folder folder;
  constexpr std::int64_t pages = 4'000;
  write_cold(folder / "f", pages);
  const auto bytes = tp::map_file(folder / "f", pages * page);
  REQUIRE(tp::residency(bytes).resident_pages < pages / 10);
  const std::vector<std::int64_t> places{100 * page, 2'000 * page + 5, 3'900 * page};
  {
    const tp::scattered_read read{bytes, places, 10};
    CHECK(read.is_cold());
    for (const auto place : places) CHECK(bytes.data()[place] == std::byte{5});
    CHECK(tp::residency(bytes).resident_pages < pages / 4);
  }
  CHECK_FALSE(tp::scattered_read{bytes, places, 10}.is_cold());
  CHECK_FALSE(tp::scattered_read{tp::allocate(10), std::vector<std::int64_t>{1}, 3}.is_cold());
  CHECK_FALSE(tp::scattered_read{bytes, {}, 10}.is_cold());
  CHECK_THROWS_AS((tp::scattered_read{bytes, std::vector<std::int64_t>{pages * page - 9}, 10}), std::invalid_argument);
}
