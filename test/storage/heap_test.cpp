#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>

import tensorplay.storage;

namespace tp = tensorplay;

TEST_CASE("heap memory is aligned to 64 bytes, writable and not shared", "[heap]") {
  const auto bytes = tp::allocate(100);
  CHECK(bytes.nbytes() == 100);
  CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64 == 0);
  CHECK(bytes.access() == tp::access::read_write);
  CHECK_FALSE(bytes.is_shared());
  CHECK(bytes.filename().empty());
  bytes.mutable_data()[99] = std::byte{7};
  CHECK(bytes.data()[99] == std::byte{7});
}

TEST_CASE("zeroed heap memory is zero", "[heap]") {
  const auto bytes = tp::allocate_zeroed(1000);
  CHECK(std::all_of(bytes.data(), bytes.data() + 1000, [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST_CASE("no bytes of heap memory are an empty storage", "[heap]") {
  CHECK(tp::allocate(0).data() == nullptr);
  CHECK(tp::allocate_zeroed(0).nbytes() == 0);
}

TEST_CASE("a negative byte count is refused", "[heap]") { CHECK_THROWS_AS(tp::allocate(-1), std::invalid_argument); }

TEST_CASE("heap memory ignores flush and advice", "[heap]") {
  const auto bytes = tp::allocate_zeroed(64);
  bytes.mutable_data()[0] = std::byte{1};
  bytes.flush();
  bytes.advise(tp::advice::dont_need);
  CHECK(bytes.data()[0] == std::byte{1});
}
