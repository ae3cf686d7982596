#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "support.hpp"

import tensorplay.storage;

namespace tp = tensorplay;

namespace {

const std::int64_t page = ::sysconf(_SC_PAGESIZE);

tp::storage_error error_of(auto call) { return support::caught<tp::storage_error>(call).value(); }

void resize(const std::filesystem::path& path, std::int64_t nbytes) {
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(nbytes));
}

}  // namespace

TEST_CASE("verify is silent while every page is there", "[verification]") {
  const support::temporary_folder folder;
  const auto load = GENERATE(false, true);
  support::write_bytes(folder / "f", support::bytes(40'000, 1));
  CHECK_NOTHROW(tp::verify(tp::map_file(folder / "f", 40'000), {.load = load}));
  CHECK_NOTHROW(tp::verify(tp::map_file(folder / "f", 30'000, {.offset_bytes = 9'999}), {.load = load}));
  CHECK_NOTHROW(tp::verify(tp::storage{}, {.load = load}));
  CHECK_NOTHROW(tp::verify(tp::allocate(10), {.load = load}));
}

TEST_CASE("verify says before the first touch what a truncated file has lost", "[verification]") {
  const support::temporary_folder folder;
  const auto load = GENERATE(false, true);
  const auto left = GENERATE_COPY(std::int64_t{0}, page, 5 * page, 8 * page - 1);
  support::write_bytes(folder / "f", support::bytes(static_cast<std::size_t>(8 * page), 1));
  const auto bytes = tp::map_file(folder / "f", 8 * page);
  resize(folder / "f", left);
  const auto error = error_of([&] { tp::verify(bytes, {.load = load}); });
  CHECK(error.code() == tp::storage_errc::truncated);
  CHECK(error.wanted_bytes() == 8 * page);
  CHECK(error.found_bytes() == left);
  CHECK(error.first_bad_offset() == left);
  CHECK_FALSE(bytes.is_lost());
  resize(folder / "f", 8 * page);
  CHECK_NOTHROW(tp::verify(bytes, {.load = load}));
}

TEST_CASE("verify finds the loss of a file that has no name any more", "[verification]") {
  const support::temporary_folder folder;
  const auto load = GENERATE(false, true);
  const auto left = GENERATE(0, 1, 3, 6, 7);
  support::write_bytes(folder / "f", support::bytes(static_cast<std::size_t>(8 * page), 1));
  const auto bytes = tp::map_file(folder / "f", 8 * page);
  resize(folder / "f", left * page);
  std::filesystem::remove(folder / "f");
  const auto error = error_of([&] { tp::verify(bytes, {.load = load}); });
  CHECK(error.code() == tp::storage_errc::truncated);
  CHECK(error.first_bad_offset() == left * page);
}

TEST_CASE("verify of a range asks for that range alone", "[verification]") {
  const support::temporary_folder folder;
  const auto load = GENERATE(false, true);
  support::write_bytes(folder / "f", support::bytes(static_cast<std::size_t>(8 * page), 1));
  const auto bytes = tp::map_file(folder / "f", 8 * page);
  resize(folder / "f", 4 * page);
  CHECK_NOTHROW(tp::verify(bytes, page, 3 * page, {.load = load}));
  CHECK_NOTHROW(tp::verify(bytes, 6 * page, 0, {.load = load}));
  CHECK_THROWS_AS(tp::verify(bytes, page, 3 * page + 1, {.load = load}), tp::storage_error);
  CHECK_THROWS_AS(tp::verify(bytes, 6 * page, page, {.load = load}), tp::storage_error);
  CHECK_THROWS_AS(tp::verify(bytes, -1, 1), std::invalid_argument);
  CHECK_THROWS_AS(tp::verify(bytes, 1, 8 * page), std::invalid_argument);
  CHECK_THROWS_AS(tp::verify(bytes, 0, -1), std::invalid_argument);
}

TEST_CASE("verify loads pages where it is asked to, and copies no private one", "[verification]") {
  const support::temporary_folder folder;
  constexpr std::int64_t nbytes{64 << 20};
  support::write_sparse(folder / "f", nbytes);
  const auto bytes = tp::map_file(folder / "f", nbytes);
  const auto before = support::resident_bytes();
  tp::verify(bytes, {.load = false});
  CHECK(support::resident_bytes() < before + nbytes / 2);
  tp::verify(bytes, {.load = true});
  CHECK(support::resident_bytes() >= before + nbytes / 2);
  CHECK(support::memory_bytes("Anonymous") < nbytes / 2);
}

TEST_CASE("read_checked copies bytes, and reports those that are gone", "[verification]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", support::bytes(static_cast<std::size_t>(4 * page), 7));
  const auto bytes = tp::map_file(folder / "f", 4 * page);
  std::vector<std::byte> to(100);
  tp::read_checked(bytes, 2 * page - 50, to);
  CHECK(to == std::vector<std::byte>(100, std::byte{7}));
  resize(folder / "f", 2 * page);
  CHECK(error_of([&] { tp::read_checked(bytes, 2 * page - 50, to); }).code() == tp::storage_errc::truncated);
  CHECK_NOTHROW(tp::read_checked(bytes, 2 * page - 100, to));
  CHECK_NOTHROW(tp::read_checked(bytes, 4 * page, {}));
  CHECK_THROWS_AS(tp::read_checked(bytes, 4 * page - 99, to), std::invalid_argument);
}

TEST_CASE("a mapping is stale when its path names another file, size or time", "[verification]") {
  const support::temporary_folder folder;
  const auto path = folder / "f";
  support::write_bytes(path, {1, 2, 3, 4});
  const auto bytes = tp::map_file(path, 4);
  CHECK_FALSE(bytes.is_stale());
  SECTION("no file") {
    std::filesystem::remove(path);
    CHECK(bytes.is_stale());
  }
  SECTION("another file") {
    support::write_bytes(folder / "other", {1, 2, 3, 4});
    std::filesystem::last_write_time(folder / "other", std::filesystem::last_write_time(path));
    std::filesystem::rename(folder / "other", path);
    CHECK(bytes.is_stale());
  }
  SECTION("another size") {
    const auto time = std::filesystem::last_write_time(path);
    resize(path, 5);
    std::filesystem::last_write_time(path, time);
    CHECK(bytes.is_stale());
  }
  SECTION("another time") {
    std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::nanoseconds{1});
    CHECK(bytes.is_stale());
  }
  SECTION("read by somebody") {
    support::read_bytes(path);
    CHECK_FALSE(bytes.is_stale());
  }
  SECTION("a folder that cannot be searched") {
    CHECK(support::in_child([&] {
            std::filesystem::permissions(folder.path(), std::filesystem::perms::none);
            if (!support::become_nobody()) return 1;
            return error_of([&] { bytes.is_stale(); }).code() == std::errc::permission_denied ? 0 : 1;
          }) == 0);
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  }
}

TEST_CASE("a mapping that the call itself made or extended is not stale", "[verification]") {
  const support::temporary_folder folder;
  CHECK_FALSE(tp::map_file(folder / "new", 100, {.mode = tp::access::read_write, .create = true}).is_stale());
  CHECK_FALSE(tp::map_file(folder / "new", 9'000, {.mode = tp::access::read_write, .create = true}).is_stale());
}

TEST_CASE("heap memory and empty storages are neither stale nor lost", "[verification]") {
  CHECK_FALSE(tp::storage{}.is_stale());
  CHECK_FALSE(tp::allocate(1).is_stale());
  CHECK_FALSE(tp::storage{}.is_lost());
  CHECK_NOTHROW(tp::allocate(1).require_intact("use"));
}

TEST_CASE("flush takes a range, and refuses one that is not there", "[verification]") {
  const support::temporary_folder folder;
  const auto bytes = tp::map_file(folder / "f", 3 * page, {.mode = tp::access::read_write, .offset_bytes = 7, .create = true});
  bytes.mutable_data()[2 * page] = std::byte{5};
  CHECK_NOTHROW(bytes.flush(2 * page, 1));
  CHECK_NOTHROW(bytes.flush(3 * page, 0));
  CHECK(support::read_bytes(folder / "f")[static_cast<std::size_t>(2 * page + 7)] == 5);
  CHECK_THROWS_AS(bytes.flush(3 * page, 1), std::invalid_argument);
  CHECK_THROWS_AS(bytes.flush(-1, 1), std::invalid_argument);
  CHECK_THROWS_AS(tp::storage{}.flush(0, 1), std::invalid_argument);
}
