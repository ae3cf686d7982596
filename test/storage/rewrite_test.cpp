#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
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

void add_one(support::bytes& bytes, std::int64_t offset, std::int64_t nbytes) {
  for (auto at = offset; at < offset + nbytes; ++at) ++bytes[static_cast<std::size_t>(at)];
}

}  // namespace

TEST_CASE("a rewrite of a private mapping changes its range, not its neighbours, its address or the file", "[rewrite]") {
  const support::temporary_folder folder;
  const std::int64_t file_offset = GENERATE(0, 72);
  const std::int64_t offset = GENERATE(0, 1, 4096, 3 * 1024 * 1024 + 5);
  const std::int64_t left = GENERATE(0, 1, 4097);
  const auto size = 40 * mebibyte + 100;
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
  CHECK((content_of(bytes) == expected));
  CHECK((support::read_bytes(folder / "f") == file));

  CHECK(add_one(bytes, offset, size - offset - left) == 0);  // it is memory of its own by now
  add_one(expected, offset, size - offset - left);
  CHECK((content_of(bytes) == expected));
}

TEST_CASE("a rewrite leaves no mapping behind, given up or not", "[rewrite]") {
  const support::temporary_folder folder;
  support::write_sparse(folder / "f", 64 * mebibyte);
  const auto mapped = [] {
    const auto lines = support::read_bytes("/proc/self/maps");
    return std::ranges::count(lines, '\n');
  };
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
