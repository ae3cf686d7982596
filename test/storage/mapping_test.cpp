#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include <signal.h>
#include <sys/time.h>

#include "support.hpp"

import tensorplay.storage;

namespace tp = tensorplay;

namespace {
constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr tp::map_options shared{.mode = tp::access::read_write, .create = true};

std::error_code code_of(auto call) {
  try {
    call();
  } catch (const tp::storage_error& error) {
    return error.code();
  }
  return {};
}
}  // namespace

TEST_CASE("without a byte count the mapping reaches to the end of the file", "[mapping]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3, 4, 5});
  CHECK(tp::map_file(folder / "f", std::nullopt).nbytes() == 5);
  const auto behind_header = tp::map_file(folder / "f", std::nullopt, {.offset_bytes = 3});
  CHECK(behind_header.nbytes() == 2);
  CHECK(behind_header.data()[0] == std::byte{4});
}

TEST_CASE("an offset at the end of the file leaves nothing, one behind it is an error", "[mapping]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3});
  CHECK(tp::map_file(folder / "f", std::nullopt, {.offset_bytes = 3}).nbytes() == 0);
  try {
    tp::map_file(folder / "f", std::nullopt, {.offset_bytes = 4});
    FAIL("mapped");
  } catch (const tp::storage_error& error) {
    CHECK(error.code() == tp::storage_errc::file_too_short);
    CHECK(error.wanted_bytes() == 4);
    CHECK(error.found_bytes() == 3);
  }
}

TEST_CASE("an offset need not be a multiple of the page size", "[mapping]") {
  const support::temporary_folder folder;
  support::bytes content(20'000);
  for (std::size_t at = 0; at < content.size(); ++at) content[at] = static_cast<std::uint8_t>(at % 251);
  support::write_bytes(folder / "f", content);
  for (const std::int64_t offset : {1, 17, 4095, 4096, 4097, 12'345}) {
    const auto bytes = tp::map_file(folder / "f", 100, {.offset_bytes = offset});
    CHECK(bytes.data()[0] == std::byte{content[static_cast<std::size_t>(offset)]});
    CHECK(bytes.data()[99] == std::byte{content[static_cast<std::size_t>(offset + 99)]});
  }
}

TEST_CASE("a shared mapping with an offset flushes", "[mapping]") {
  const support::temporary_folder folder;
  const auto bytes = tp::map_file(folder / "f", 5'000, {.mode = tp::access::read_write, .offset_bytes = 4'100, .create = true});
  bytes.mutable_data()[4'999] = std::byte{8};
  bytes.flush();
  CHECK(support::read_bytes(folder / "f").size() == 9'100);
  CHECK(support::read_bytes(folder / "f").back() == 8);
}

TEST_CASE("arguments that can never work are refused", "[mapping]") {
  const support::temporary_folder folder;
  CHECK_THROWS_AS(tp::map_file(folder / "f", -1, shared), std::invalid_argument);
  CHECK_THROWS_AS(tp::map_file(folder / "f", 1, {.offset_bytes = -1}), std::invalid_argument);
  CHECK_THROWS_AS(tp::map_file(folder / "f", largest, {.offset_bytes = 1}), std::invalid_argument);
  CHECK_THROWS_AS(tp::map_file("", 1, shared), std::invalid_argument);
  CHECK_THROWS_AS(tp::map_file(std::string{"a\0b", 3}, 1, shared), std::invalid_argument);
  CHECK(folder.names().empty());
}

TEST_CASE("without create a shared mapping neither makes nor extends a file", "[mapping]") {
  const support::temporary_folder folder;
  CHECK(code_of([&] { tp::map_file(folder / "f", 4, {.mode = tp::access::read_write}); }) ==
        std::errc::no_such_file_or_directory);
  support::write_bytes(folder / "f", {1, 2});
  CHECK(code_of([&] { tp::map_file(folder / "f", 4, {.mode = tp::access::read_write}); }) == tp::storage_errc::file_too_short);
  CHECK(support::read_bytes(folder / "f") == support::bytes{1, 2});
}

TEST_CASE("is_shared tells a shared mapping of any mode", "[mapping]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2});
  CHECK(tp::map_file(folder / "f", 2, {.mode = tp::access::read_write}).is_shared());
  CHECK(tp::map_file(folder / "f", 2, {.mode = tp::access::read_only, .shared = true}).is_shared());
  CHECK_FALSE(tp::map_file(folder / "f", 2, {.mode = tp::access::read_only}).is_shared());
  CHECK_FALSE(tp::map_file(folder / "f", 2).is_shared());
}

TEST_CASE("a signal during the open does not reach the caller", "[mapping]") {
  // A FIFO swapped in for the file would block the open; here the plain case: many signals, no error.
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2});
  CHECK(support::in_child([&] {
          struct ::sigaction ignore{};
          ignore.sa_handler = [](int) {};
          ::sigaction(SIGALRM, &ignore, nullptr);
          const ::itimerval often{{0, 50}, {0, 50}};
          ::setitimer(ITIMER_REAL, &often, nullptr);
          for (int round = 0; round < 2'000; ++round) {
            const auto name = folder / ("g" + std::to_string(round));
            if (tp::map_file(name, 4096, shared).nbytes() != 4096) return 1;
            std::filesystem::remove(name);
          }
          return 0;
        }) == 0);
}
