#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support.hpp"

import tensorplay.storage;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t mebibyte = 1 << 20;

support::bytes pattern(std::int64_t nbytes) {
  support::bytes bytes(static_cast<std::size_t>(nbytes));
  for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<std::uint8_t>(at * 7 + at / 4096);
  return bytes;
}

/// Adds one to each byte of a range; gives the number of pieces that went to fresh memory.
int add_one(const tp::storage& bytes, std::int64_t offset, std::int64_t nbytes) {
  int fresh = 0;
  for (tp::private_rewrite pieces{bytes, offset, nbytes}; pieces.next(); pieces.place()) {
    fresh += pieces.to() != pieces.from() ? 1 : 0;
    std::transform(pieces.from(), pieces.from() + pieces.nbytes(), pieces.to(),
                   [](auto byte) { return static_cast<std::byte>(static_cast<unsigned>(byte) + 1); });
  }
  return fresh;
}

support::bytes content_of(const tp::storage& bytes) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return {first, first + bytes.nbytes()};
}

bool holds(const tp::storage& bytes, const support::bytes& expected) {
  return std::cmp_equal(bytes.nbytes(), expected.size()) && std::memcmp(bytes.data(), expected.data(), expected.size()) == 0;
}

void add_one(support::bytes& bytes, std::int64_t offset, std::int64_t nbytes) {
  for (auto at = offset; at < offset + nbytes; ++at) ++bytes[static_cast<std::size_t>(at)];
}

}  // namespace

TEST_CASE("a rewrite of a private mapping changes its range, not its neighbours, its address or the file", "[rewrite]") {
  const support::temporary_folder folder;
  const std::int64_t file_offset = GENERATE(0, 72);
  const std::int64_t offset = GENERATE(0, 1, 4096, 3 * 1024 * 1024 + 5);
  const std::int64_t left = GENERATE(0, 1, 4097);
  const auto size = 24 * mebibyte + 100;
  const auto file = pattern(file_offset + size);
  support::write_bytes(folder / "f", file);
  const auto bytes = tp::map_file(folder / "f", size, {.offset_bytes = file_offset});
  const auto* address = bytes.data();
  support::bytes expected(file.begin() + file_offset, file.end());

  bytes.mutable_data()[offset + 100] = std::byte{9};  // a page that is private already
  expected[static_cast<std::size_t>(offset + 100)] = 9;
  CHECK(add_one(bytes, offset, size - offset - left) > 1);
  add_one(expected, offset, size - offset - left);
  CHECK(bytes.data() == address);
  CHECK(holds(bytes, expected));
  CHECK((support::read_bytes(folder / "f") == file));

  CHECK(add_one(bytes, offset, size - offset - left) == 0);  // it is memory of its own by now
  add_one(expected, offset, size - offset - left);
  CHECK(holds(bytes, expected));
}

TEST_CASE("a rewrite leaves no mapping behind, given up or not", "[rewrite]") {
  const support::temporary_folder folder;
  support::write_sparse(folder / "f", 64 * mebibyte);
  const auto mapped = [] { return support::mappings_below({}); };  // all: each line holds the empty name
  const auto before = mapped();
  {
    const auto bytes = tp::map_file(folder / "f", 64 * mebibyte);
    tp::private_rewrite given_up{bytes, 0, 64 * mebibyte};
    CHECK(given_up.next());
  }
  CHECK(mapped() <= before + 1);
  {
    const auto bytes = tp::map_file(folder / "f", 64 * mebibyte);
    add_one(bytes, 0, 64 * mebibyte);
  }
  CHECK(mapped() <= before + 1);
  CHECK(support::mappings_below(folder.path()) == 0);
}

TEST_CASE("shared mappings, memory and small ranges are rewritten in place", "[rewrite]") {
  const support::temporary_folder folder;
  support::write_sparse(folder / "f", 8 * mebibyte);
  const auto shared = tp::map_file(folder / "f", 8 * mebibyte, {.mode = tp::access::read_write});
  CHECK(add_one(shared, 0, 8 * mebibyte) == 0);
  CHECK((support::read_bytes(folder / "f") == support::bytes(8 * mebibyte, 1)));
  CHECK(add_one(tp::allocate_zeroed(8 * mebibyte), 0, 8 * mebibyte) == 0);
  CHECK(add_one(tp::map_file(folder / "f", 8 * mebibyte), 0, mebibyte) == 0);
  CHECK(add_one(tp::storage{}, 0, 0) == 0);
}

TEST_CASE("a rewrite refuses read-only storages and ranges that are not there", "[rewrite]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3});
  const auto fixed = tp::map_file(folder / "f", 3, {.mode = tp::access::read_only});
  CHECK_THROWS_AS(tp::private_rewrite(fixed, 0, 3), std::invalid_argument);
  CHECK_THROWS_AS(tp::private_rewrite(tp::map_file(folder / "f", 3), 1, 3), std::invalid_argument);
}

TEST_CASE("a rewrite of a shared mapping reaches the file and the mapping, and nothing beside its range", "[rewrite]") {
  const support::temporary_folder folder;
  const std::int64_t file_offset = GENERATE(0, 72);
  const std::int64_t offset = GENERATE(0, 1, 4096, 100'003);
  const auto size = 10 * mebibyte + 100;
  auto expected = pattern(file_offset + size + 5);
  support::write_bytes(folder / "f", expected);
  const auto bytes = tp::map_file(folder / "f", size, {.mode = tp::access::read_write, .offset_bytes = file_offset});
  const auto other =
      tp::map_file(folder / "f", size, {.mode = tp::access::read_only, .shared = true, .offset_bytes = file_offset});
  const auto length = size - offset - 7;
  const std::vector<std::byte> next(static_cast<std::size_t>(length), std::byte{77});
  const auto first_part = std::span{next}.first(5'000'001);
  {
    tp::shared_rewrite file{bytes, offset, length};
    REQUIRE(file);
    file.write(first_part);
    CHECK(bytes.data()[offset + 5'000'000] == std::byte{77});
    file.write(std::span{next}.subspan(first_part.size()));
    CHECK_THROWS_AS(file.write(std::span{next}.first(1)), std::invalid_argument);
  }
  std::fill_n(expected.begin() + file_offset + offset, length, std::uint8_t{77});
  CHECK(support::read_bytes(folder / "f") == expected);
  CHECK(holds(bytes, support::bytes(expected.begin() + file_offset, expected.end() - 5)));
  CHECK(content_of(other) == content_of(bytes));
  CHECK_FALSE(tp::shared_rewrite{bytes, offset, length});
}

TEST_CASE("a repeated pattern is written from its begin, whatever its length, and stored where the file does not take it",
          "[rewrite]") {
  const support::temporary_folder folder;
  const auto size = 5 * mebibyte;
  support::write_bytes(folder / "f", support::bytes(static_cast<std::size_t>(size)));
  const auto bytes = tp::map_file(folder / "f", size, {.mode = tp::access::read_write});
  const std::int64_t length = GENERATE(1, 7, 16 * 1024, 6 * mebibyte);
  const bool is_watched = GENERATE(false, true);
  const auto repeated = pattern(length);
  const auto numel = size - 3;
  {
    tp::shared_rewrite file{bytes, 1, size - 1};
    REQUIRE(file);
    std::optional<tp::fault_guard> guard;
    if (is_watched) guard.emplace(bytes);
    file.write_repeated(std::as_bytes(std::span{repeated}), numel);
    CHECK_THROWS_AS(file.write_repeated(std::as_bytes(std::span{repeated}), 3), std::invalid_argument);
    CHECK_THROWS_AS(file.write_repeated(std::as_bytes(std::span{repeated}), -1), std::invalid_argument);
    CHECK_THROWS_AS(file.write_repeated({}, 1), std::invalid_argument);
  }
  support::bytes expected(static_cast<std::size_t>(size));
  for (std::int64_t at = 0; at < numel; ++at) {
    expected[static_cast<std::size_t>(at + 1)] = repeated[static_cast<std::size_t>(at % length)];
  }
  CHECK(support::read_bytes(folder / "f") == expected);
  CHECK(holds(bytes, expected));
}

TEST_CASE("what a write to the file would do otherwise than a store is stored", "[rewrite]") {
  const support::temporary_folder folder;
  const auto size = mebibyte;
  support::write_bytes(folder / "f", pattern(size));
  const auto bytes = tp::map_file(folder / "f", size, {.mode = tp::access::read_write});
  const auto engages = [&] { return static_cast<bool>(tp::shared_rewrite{bytes, 0, size}); };
  SECTION("heap memory, private and small mappings") {
    CHECK_FALSE(tp::shared_rewrite{tp::allocate(size), 0, size});
    CHECK_FALSE(tp::shared_rewrite{tp::map_file(folder / "f", size), 0, size});
    CHECK_FALSE(tp::shared_rewrite{bytes, 0, 100});
  }
  SECTION("a read-only storage and a range outside are errors") {
    const auto read_only = tp::map_file(folder / "f", size, {.mode = tp::access::read_only});
    CHECK_THROWS_AS((tp::shared_rewrite{read_only, 0, size}), std::invalid_argument);
    CHECK_THROWS_AS((tp::shared_rewrite{bytes, 1, size}), std::invalid_argument);
  }
  SECTION("the path names another file by now") {
    std::filesystem::rename(folder / "f", folder / "g");
    support::write_bytes(folder / "f", pattern(size));
    CHECK_FALSE(engages());
  }
  SECTION("the path names no file") {
    std::filesystem::remove(folder / "f");
    CHECK_FALSE(engages());
  }
  SECTION("the process may not write files of that size: a signal would come") {
    CHECK(support::in_child([&] {
            const ::rlimit limit{4096, 4096};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            return engages() ? 1 : 0;
          }) == 0);
  }
  SECTION("the file has been truncated: it does not grow again") {
    tp::shared_rewrite file{bytes, 0, size};
    REQUIRE(file);
    const std::vector<std::byte> next(static_cast<std::size_t>(size));
    CHECK(support::in_child([&] {
            std::signal(SIGBUS, SIG_DFL);
            std::filesystem::resize_file(folder / "f", 10);
            file.write(next);
            return 0;
          }) == 1000 + SIGBUS);
    CHECK(std::filesystem::file_size(folder / "f") == 10);
  }
  SECTION("a guard watches it: a loss is noticed") {
    tp::shared_rewrite file{bytes, 0, size};
    REQUIRE(file);
    std::filesystem::resize_file(folder / "f", 4096);
    const tp::fault_guard guard{bytes};
    file.write(std::vector<std::byte>(static_cast<std::size_t>(size)));
    CHECK_THROWS_AS(guard.check(), tp::storage_error);
    CHECK(std::filesystem::file_size(folder / "f") == 4096);
  }
}

TEST_CASE("where a sparse file finds no space, a rewrite is an error instead of a signal", "[rewrite]") {
  const support::mounted small{"tmpfs", "size=2m"};
  if (!small) SKIP("only root can mount a file system");
  const auto size = 8 * mebibyte;
  const auto bytes = tp::map_file(small / "f", size, {.mode = tp::access::read_write, .create = true, .sparse = true});
  tp::shared_rewrite file{bytes, 0, size};
  REQUIRE(file);
  const auto error =
      support::caught<tp::storage_error>([&] { file.write(std::vector<std::byte>(static_cast<std::size_t>(size))); });
  REQUIRE(error);
  CHECK(error->code().value() == ENOSPC);
  CHECK(error->operation() == "write");
}
