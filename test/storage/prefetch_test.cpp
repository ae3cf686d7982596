#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

const std::int64_t page = ::sysconf(_SC_PAGESIZE);
constexpr std::int64_t pages = 20'000;

std::filesystem::path cold_file(const support::temporary_folder& folder) {
  support::write_bytes(folder / "f", support::bytes(static_cast<std::size_t>(pages * page), 5));
  support::drop_from_cache(folder / "f");
  return folder / "f";
}

}  // namespace

TEST_CASE("prefetch loads all pages of a range, and counts them on the way", "[prefetch]") {
  const support::temporary_folder folder;
  const auto bytes = tp::map_file(cold_file(folder), pages * page);
  REQUIRE(tp::residency(bytes).resident_pages < pages / 10);
  auto loading = tp::prefetch(bytes, page, pages * page / 2);
  CHECK(loading.nbytes() == pages * page / 2);
  for (std::int64_t before = 0; !loading.is_done();) {
    const auto now = loading.loaded_bytes();
    if (now < before || now > loading.nbytes()) FAIL_CHECK("the counter fell or passed its end: " << now);
    before = now;
    std::this_thread::yield();
  }
  loading.wait();
  CHECK(loading.loaded_bytes() == loading.nbytes());
  CHECK(tp::residency(bytes, page, pages * page / 2).resident_pages == pages / 2);
  CHECK(tp::residency(bytes).resident_pages < pages);
  CHECK(bytes.data()[page] == std::byte{5});
}

TEST_CASE("prefetch of a view loads the pages that it spans", "[prefetch]") {
  const support::temporary_folder folder;
  const auto rows = tp::from_file<const std::uint8_t>(cold_file(folder), false, {pages, page});
  const auto some = rows.slice(0, 100, 4'100);
  tp::prefetch(some).wait();
  CHECK(tp::residency(some).resident_pages == 4'000);
  CHECK(tp::residency(rows).resident_pages < pages / 2);
}

TEST_CASE("prefetch loads what stands behind a header, and what lies between pages that are there already", "[prefetch]") {
  const support::temporary_folder folder;
  const auto elements =
      tp::from_file<const std::uint8_t>(cold_file(folder), false, (pages - 4) * page, {.offset = 3 * page + 64});
  REQUIRE(elements(1'500 * page) + elements(9'000 * page) == 10);
  const auto some = elements.slice(0, 700 * page, 15'000 * page);
  auto loading = tp::prefetch(some);
  loading.wait();
  CHECK(loading.loaded_bytes() == loading.nbytes());
  CHECK(tp::residency(some).resident_pages == tp::residency(some).pages);
  CHECK(tp::residency(elements).resident_pages < pages - 4);
}

TEST_CASE("a prefetch loads the file that is mapped, whatever has its name by now", "[prefetch]") {
  const support::temporary_folder folder;
  const auto path = cold_file(folder);
  const auto bytes = tp::map_file(path, pages * page);
  SECTION("another file") {
    support::write_bytes(folder / "other", support::bytes(static_cast<std::size_t>(page), 6));
    std::filesystem::rename(folder / "other", path);
  }
  SECTION("none") { std::filesystem::remove(path); }
  tp::prefetch(bytes).wait();
  CHECK(tp::residency(bytes).resident_pages == pages);
  CHECK(bytes.data()[pages * page - 1] == std::byte{5});
}

TEST_CASE("a cancelled prefetch stops early, and so does one that nobody keeps", "[prefetch]") {
  const support::temporary_folder folder;
  constexpr int most_attempts = 50;  // on a busy machine all may be loaded before this thread goes on
  bool was_cancelled = false;
  bool was_dropped = false;
  for (int attempt = 0; attempt < most_attempts && !(was_cancelled && was_dropped); ++attempt) {
    const auto bytes = tp::map_file(cold_file(folder), pages * page);
    auto loading = tp::prefetch(bytes);
    loading.cancel();
    loading.wait();
    CHECK(loading.is_done());
    was_cancelled = was_cancelled || loading.loaded_bytes() < loading.nbytes();
    CHECK_NOTHROW(loading.wait());
    {
      const auto dropped = tp::prefetch(bytes);
    }
    was_dropped = was_dropped || tp::residency(bytes).resident_pages < pages;
  }
  CHECK(was_cancelled);
  CHECK(was_dropped);
}

TEST_CASE("a prefetch keeps the storage, and can be moved", "[prefetch]") {
  const support::temporary_folder folder;
  auto bytes = tp::map_file(cold_file(folder), pages * page);
  auto loading = tp::prefetch(bytes);
  bytes = {};
  tp::prefetching moved = std::move(loading);
  moved.wait();
  CHECK(moved.loaded_bytes() == pages * page);
  moved = tp::prefetching{};
  CHECK(moved.is_done());
}

TEST_CASE("a prefetch of a file that was truncated says so, and no signal comes", "[prefetch]") {
  const support::temporary_folder folder;
  const auto path = cold_file(folder);
  const auto bytes = tp::map_file(path, pages * page);
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(10 * page));
  auto loading = tp::prefetch(bytes);
  const auto error = support::caught<tp::storage_error>([&] { loading.wait(); });
  REQUIRE(error);
  CHECK(error->code() == tp::storage_errc::truncated);
  CHECK(error->operation() == "prefetch");
  CHECK(error->found_bytes() == 10 * page);
  CHECK(loading.is_done());
  CHECK_NOTHROW(loading.wait());
}

TEST_CASE("while a prefetch runs, others read the elements", "[prefetch]") {
  const support::temporary_folder folder;
  const auto elements = tp::from_file<const std::uint8_t>(cold_file(folder), false, tp::whole_file);
  auto loading = tp::prefetch(elements);
  CHECK(tp::sum(elements) == 5 * pages * page);
  loading.wait();
}

TEST_CASE("heap memory and empty storages are there already", "[prefetch]") {
  auto loading = tp::prefetch(tp::allocate(100));
  CHECK(loading.is_done());
  CHECK(loading.nbytes() == 100);
  CHECK(loading.loaded_bytes() == 100);
  loading.cancel();
  loading.wait();
  CHECK(tp::prefetch(tp::storage{}).is_done());
  CHECK(tp::prefetching{}.nbytes() == 0);
  CHECK_THROWS_AS(tp::prefetch(tp::allocate(100), 1, 100), std::invalid_argument);
}
