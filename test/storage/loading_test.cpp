#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "support.hpp"

import tensorplay.storage;

namespace tp = tensorplay;

namespace {
std::error_code code_of(const std::filesystem::path& path, std::optional<std::int64_t> nbytes, std::int64_t offset = 0) {
  return support::caught<tp::storage_error>([&] { tp::load_file(path, nbytes, offset); }).value().code();
}
}  // namespace

TEST_CASE("loaded bytes are those of the file, and no longer the file's", "[loading]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3, 4, 5});
  const auto bytes = tp::load_file(folder / "f", 3, 1);
  support::write_bytes(folder / "f", {});
  CHECK(bytes.nbytes() == 3);
  CHECK(bytes.data()[0] == std::byte{2});
  CHECK(bytes.data()[2] == std::byte{4});
  CHECK(bytes.filename().empty());
  CHECK_FALSE(bytes.is_shared());
  CHECK(bytes.access() == tp::access::read_write);
}

TEST_CASE("a file is loaded to its end where no count is given", "[loading]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", support::bytes(100'000, 7));
  CHECK(tp::load_file(folder / "f", std::nullopt).nbytes() == 100'000);
  CHECK(tp::load_file(folder / "f", std::nullopt, 99'999).data()[0] == std::byte{7});
  CHECK(tp::load_file(folder / "f", std::nullopt, 100'000).nbytes() == 0);
  CHECK(tp::load_file(folder / "missing", 0).nbytes() == 0);
}

TEST_CASE("what cannot be loaded is refused as by map_file", "[loading]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3});
  ::mkfifo((folder / "fifo").c_str(), 0600);
  const auto descriptors = support::open_descriptors();
  CHECK(code_of(folder / "f", 4) == tp::storage_errc::file_too_short);
  CHECK(code_of(folder / "f", 1, 3) == tp::storage_errc::file_too_short);
  CHECK(code_of(folder / "f", std::nullopt, 4) == tp::storage_errc::file_too_short);
  CHECK(code_of(folder / "missing", 1) == std::errc::no_such_file_or_directory);
  CHECK(code_of(folder / "fifo", 1) == tp::storage_errc::not_a_regular_file);
  CHECK(code_of(folder.path(), 1) == tp::storage_errc::not_a_regular_file);
  CHECK_THROWS_AS(tp::load_file(folder / "f", -1), std::invalid_argument);
  CHECK_THROWS_AS(tp::load_file(folder / "f", 1, -1), std::invalid_argument);
  CHECK_THROWS_AS(tp::load_file(folder / "f", std::numeric_limits<std::int64_t>::max(), 1), std::invalid_argument);
  CHECK_THROWS_AS(tp::load_file("", 1), std::invalid_argument);
  CHECK(support::open_descriptors() == descriptors);
}
