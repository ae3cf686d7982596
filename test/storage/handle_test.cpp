#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"

import tensorplay.storage;

namespace tp = tensorplay;

namespace {
void require_empty_and_safe(const tp::storage& bytes) {
  CHECK(bytes.data() == nullptr);
  CHECK(bytes.mutable_data() == nullptr);
  CHECK(bytes.nbytes() == 0);
  CHECK(bytes.access() == tp::access::read_write);
  CHECK(bytes.filename().empty());
  CHECK_FALSE(bytes.is_shared());
  bytes.flush();
  bytes.advise(tp::advice::will_need);
}
}  // namespace

TEST_CASE("a default-constructed storage is empty and safe", "[handle]") { require_empty_and_safe(tp::storage{}); }

TEST_CASE("a moved-from storage is empty and safe", "[handle]") {
  auto bytes = tp::allocate(10);
  const auto moved = std::move(bytes);
  require_empty_and_safe(bytes);  // NOLINT: this is what is tested
  CHECK(moved.nbytes() == 10);
}

TEST_CASE("copies of a handle share the bytes", "[handle]") {
  const auto bytes = tp::allocate_zeroed(10);
  const auto copy = bytes;
  copy.mutable_data()[3] = std::byte{9};
  CHECK(bytes.data()[3] == std::byte{9});
}

TEST_CASE("a mapping is gone with its last handle, the file stays", "[handle]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3});
  {
    auto first = tp::map_file(folder / "f", 3);
    const auto second = first;
    first = {};
    CHECK(support::mappings_below(folder.path()) == 1);
    CHECK(second.data()[2] == std::byte{3});
  }
  CHECK(support::mappings_below(folder.path()) == 0);
  CHECK(support::read_bytes(folder / "f") == support::bytes{1, 2, 3});
}

TEST_CASE("a handle assigned to itself keeps its bytes", "[handle]") {
  auto bytes = tp::allocate_zeroed(10);
  auto& same = bytes;
  bytes = same;
  REQUIRE(bytes.nbytes() == 10);
  CHECK(bytes.data()[9] == std::byte{0});
  bytes = std::move(same);
  REQUIRE(bytes.nbytes() == 10);
  CHECK(bytes.data()[9] == std::byte{0});
}

TEST_CASE("threads copy and drop handles, and the last one unmaps", "[handle]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3});
  auto bytes = tp::map_file(folder / "f", 3);
  std::vector<int> right(4, 0);
  std::vector<std::thread> threads;
  for (auto& count : right) {
    threads.emplace_back([&count, own = bytes] {
      for (int round = 0; round < 10'000; ++round) {
        const auto copy = own;
        auto moved = tp::storage{copy};
        const auto last = std::move(moved);
        count += last.data()[2] == std::byte{3} ? 1 : 0;
      }
    });
  }
  bytes = {};
  for (auto& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 10'000));
  CHECK(support::mappings_below(folder.path()) == 0);
}

TEST_CASE("bytes for stores are refused by a read-only storage", "[handle]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3});
  const auto bytes = tp::map_file(folder / "f", 3, {.mode = tp::access::read_only});
  CHECK(bytes.access() == tp::access::read_only);
  CHECK_THROWS_AS(bytes.mutable_data(), std::invalid_argument);
}

TEST_CASE("advice never changes content", "[handle]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", support::bytes(10'000, 5));
  const auto mode = GENERATE_COPY(tp::access::read_only, tp::access::read_write, tp::access::copy_on_write);
  const auto bytes = tp::map_file(folder / "f", 9'000, {.mode = mode, .offset_bytes = 100});
  if (mode != tp::access::read_only) bytes.mutable_data()[8'000] = std::byte{6};
  for (const auto advice :
       {tp::advice::normal, tp::advice::sequential, tp::advice::random, tp::advice::will_need, tp::advice::dont_need}) {
    bytes.advise(advice);
  }
  CHECK(bytes.data()[0] == std::byte{5});
  CHECK(bytes.data()[8'000] == std::byte{mode == tp::access::read_only ? std::uint8_t{5} : std::uint8_t{6}});
}

TEST_CASE("dont_need gives the pages of a shared mapping back", "[handle]") {
  constexpr std::int64_t nbytes = 64 << 20;
  const support::temporary_folder folder;
  const auto bytes = tp::map_file(folder / "f", nbytes, {.mode = tp::access::read_write, .create = true});
  for (std::int64_t at = 0; at < nbytes; at += 4096) bytes.mutable_data()[at] = std::byte{1};
  const auto before = support::resident_bytes();
  bytes.advise(tp::advice::dont_need);
  CHECK(support::resident_bytes() < before - nbytes / 2);
  CHECK(bytes.data()[nbytes - 4096] == std::byte{1});
}
