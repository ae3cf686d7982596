#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>

import tensorplay.storage;

namespace tp = tensorplay;

static_assert(std::is_base_of_v<std::system_error, tp::storage_error>);
static_assert(std::is_nothrow_copy_constructible_v<tp::storage_error>);

TEST_CASE("a storage error carries path, operation and the system's code", "[error]") {
  const tp::storage_error error{std::error_code{EACCES, std::system_category()}, "open", "weights.bin"};
  CHECK(error.path() == "weights.bin");
  CHECK(error.operation() == "open");
  CHECK(error.code() == std::errc::permission_denied);
  CHECK_FALSE(error.wanted_bytes().has_value());
  CHECK_FALSE(error.found_bytes().has_value());
  CHECK(std::string{error.what()} == "open \"weights.bin\": Permission denied");
}

TEST_CASE("a storage error about sizes says what was wanted and what was found", "[error]") {
  const tp::storage_error error{tp::storage_errc::file_too_short, "map", "weights.bin", 10, 4};
  CHECK(error.wanted_bytes() == 10);
  CHECK(error.found_bytes() == 4);
  CHECK(error.code() == tp::storage_errc::file_too_short);
  CHECK(std::string{error.what()} == "map \"weights.bin\" (wanted 10 bytes, found 4 bytes): the file is too short");
}

TEST_CASE("every storage error code has a message of its own", "[error]") {
  CHECK(std::string{tp::storage_category().name()} == "tensorplay.storage");
  CHECK(tp::make_error_code(tp::storage_errc::not_a_regular_file).message() == "not a regular file");
  CHECK(tp::make_error_code(tp::storage_errc::partial_element).message() == "the file does not hold a whole number of elements");
  CHECK(tp::storage_category().message(77) == "unknown storage error 77");
}
