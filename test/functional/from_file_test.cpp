#include <algorithm>
#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cerrno>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "support.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t kibibyte = 1024;
constexpr std::int64_t mebibyte = 1024 * kibibyte;
constexpr std::int64_t gibibyte = 1024 * mebibyte;

template <class Tensor>
std::vector<typename Tensor::value_type> values(const Tensor& tensor) {
  return {tensor.begin(), tensor.end()};
}

/// The error of a call that must fail with a storage_error.
tp::storage_error failure_of(auto call) {
  try {
    call();
  } catch (const tp::storage_error& error) {
    return error;
  }
  FAIL("no storage_error");
  throw;
}

support::bytes counted_bytes(std::size_t count) {
  support::bytes content(count);
  for (std::size_t at = 0; at < count; ++at) content[at] = static_cast<std::uint8_t>(at + 1);
  return content;
}

}  // namespace

// The documentation, sentence by sentence.

TEST_CASE("the documented example maps what was saved", "[from_file]") {
  const support::temporary_folder folder;
  const auto t = tp::randn<double>(2, 5);
  t.tofile(folder / "storage.pt");
  const auto mapped = tp::from_file<double>(folder / "storage.pt", /*shared=*/false, /*size=*/10);
  const auto same = tp::from_file(folder / "storage.pt", false, 10, {.dtype = tp::float64});
  CHECK(values(mapped) == values(t));
  CHECK(values(same.as<double>()) == values(t));
  CHECK(mapped.shape() == std::array<std::int64_t, 1>{10});
  CHECK(mapped.strides() == std::array<std::int64_t, 1>{1});
}

TEST_CASE("the storage is a mapping of the file, shared or private", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(8));
  for (const bool shared : {false, true}) {
    const auto t = tp::from_file<std::uint8_t>(folder / "f", shared, 8);
    CHECK(support::mappings_below(folder.path()) == 1);
    CHECK(t.storage().access() == (shared ? tp::access::read_write : tp::access::copy_on_write));
    CHECK(t.is_shared() == shared);
  }
}

TEST_CASE("a shared store is visible at once to read and to other shared mappings", "[from_file]") {
  const support::temporary_folder folder;
  const auto t = tp::from_file<std::int32_t>(folder / "f", true, 1000);
  const auto other = tp::from_file<std::int32_t>(folder / "f", true, 1000);
  t[999] = 77;
  CHECK(other[999] == 77);
  CHECK(support::read_values<std::int32_t>(folder / "f")[999] == 77);
  CHECK(support::in_child([&] { return tp::from_file<std::int32_t>(folder / "f", true, 1000)[999] == 77 ? 0 : 1; }) == 0);
}

TEST_CASE("a private store leaves the file unchanged", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(8));
  const auto t = tp::from_file<std::uint8_t>(folder / "f", false, 8);
  t[0] = 99;
  CHECK(t[0] == 99);
  CHECK(support::read_bytes(folder / "f") == counted_bytes(8));
  CHECK(tp::from_file<std::uint8_t>(folder / "f", false, 8)[0] == 1);
}

TEST_CASE("shared left out or empty is private", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(8));
  CHECK_FALSE(tp::from_file(folder / "f", std::nullopt, 2).is_shared());
  CHECK_FALSE(tp::from_file<std::uint8_t>(folder / "f", {}, 8).is_shared());
  CHECK(failure_of([&] { tp::from_file(folder / "missing", {}, 2); }).code() == std::errc::no_such_file_or_directory);
}

TEST_CASE("size zero, the default, is an empty tensor and touches no file", "[from_file]") {
  const support::temporary_folder folder;
  for (const bool shared : {false, true}) {
    CHECK(tp::from_file<float>(folder / "missing", shared, 0).numel() == 0);
    CHECK(tp::from_file(folder / "missing", shared).numel() == 0);
    CHECK(tp::from_file<float>(folder.path(), shared).filename().empty());
    CHECK(tp::from_file<float>(folder / "missing", shared, {0, 28}).shape() == std::array<std::int64_t, 2>{0, 28});
  }
  CHECK(folder.names().empty());
}

TEST_CASE("a private mapping of a file that is too short says both byte counts", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3, 4});
  const auto error = failure_of([&] { tp::from_file<std::uint8_t>(folder / "f", false, 10); });
  CHECK(error.code() == tp::storage_errc::file_too_short);
  CHECK(error.wanted_bytes() == 10);
  CHECK(error.found_bytes() == 4);
  CHECK(error.path() == folder / "f");
  CHECK(std::string{error.what()} ==
        "map \"" + (folder / "f").string() + "\" (wanted 10 bytes, found 4 bytes): the file is too short");
  CHECK(support::read_bytes(folder / "f").size() == 4);
}

TEST_CASE("a private mapping of an empty file with a size is an error", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {});
  const auto error = failure_of([&] { tp::from_file<float>(folder / "f", false, 10); });
  CHECK(error.wanted_bytes() == 40);
  CHECK(error.found_bytes() == 0);
}

TEST_CASE("trailing bytes behind the elements are ignored", "[from_file]") {
  const support::temporary_folder folder;
  support::write_values<float>(folder / "f", {1, 2});
  std::filesystem::resize_file(folder / "f", 9);
  CHECK(values(tp::from_file<float>(folder / "f", false, 2)) == std::vector<float>{1, 2});
  CHECK(failure_of([&] { tp::from_file<float>(folder / "f", false, 3); }).found_bytes() == 9);
}

TEST_CASE("a missing shared file is created zero-filled with mode 0600 less the umask", "[from_file]") {
  const support::temporary_folder folder;
  const auto umask = ::umask(0);
  CHECK(values(tp::from_file<std::int16_t>(folder / "open", true, 3)) == std::vector<std::int16_t>{0, 0, 0});
  ::umask(0277);
  tp::from_file<std::int16_t>(folder / "closed", true, 3);
  ::umask(umask);
  CHECK(support::mode_of(folder / "open") == 0600);
  CHECK(support::mode_of(folder / "closed") == 0400);
  CHECK(support::read_bytes(folder / "open") == support::bytes(6, 0));
  CHECK(folder.names() == std::vector<std::string>{"closed", "open"});
}

TEST_CASE("a short shared file is extended with zeros and keeps every byte", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3, 4});
  const auto t = tp::from_file<std::uint8_t>(folder / "f", true, 10);
  CHECK(values(t) == support::bytes{1, 2, 3, 4, 0, 0, 0, 0, 0, 0});
  CHECK(support::read_bytes(folder / "f") == values(t));
}

TEST_CASE("a long shared file is neither truncated nor cleared", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", support::bytes(16, 0xff));
  CHECK(values(tp::from_file<std::uint8_t>(folder / "f", true, 4)) == support::bytes(4, 0xff));
  CHECK(support::read_bytes(folder / "f") == support::bytes(16, 0xff));
}

TEST_CASE("another device is refused by name, the CPU is the CPU with any index", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(8));
  CHECK_THROWS_AS(tp::from_file(folder / "f", false, 2, {.device = "cuda"}), std::invalid_argument);
  CHECK(tp::from_file(folder / "f", false, 2, {.device = "cpu"}).numel() == 2);
  CHECK(tp::from_file(folder / "f", false, 2, {.device = "CPU:7"}).numel() == 2);
}

TEMPLATE_TEST_CASE("every dtype maps its elements", "[from_file]", tp::bool8_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t, tp::float16_t, tp::bfloat16_t, float,
                   double, std::complex<float>, std::complex<double>) {
  const support::temporary_folder folder;
  const std::initializer_list<TestType> content{static_cast<TestType>(0), static_cast<TestType>(1), static_cast<TestType>(1),
                                                static_cast<TestType>(0)};
  support::write_values<TestType>(folder / "f", content);
  const auto typed = tp::from_file<TestType>(folder / "f", false, 4);
  CHECK(std::ranges::equal(typed, content));
  const auto any = tp::from_file(folder / "f", false, 4, {.dtype = tp::dtype_of<TestType>});
  CHECK(std::ranges::equal(any.template as<TestType>(), content));
  CHECK(std::ranges::equal(tp::from_file<const TestType>(folder / "f", false, tp::whole_file), content));
}

TEST_CASE("a dtype option that contradicts the element type is refused", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(8));
  CHECK_THROWS_AS(tp::from_file<float>(folder / "f", false, 1, {.dtype = tp::float64}), std::invalid_argument);
  CHECK(tp::from_file<float>(folder / "f", false, 1, {.dtype = tp::float32}).numel() == 1);
}

// Order of work.

TEST_CASE("a refused argument leaves a missing file missing and a short one short", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "short", {1});
  for (const auto* name : {"missing", "short"}) {
    const auto file = folder / name;
    CHECK_THROWS_AS(tp::from_file(file, true, 4, {.pin_memory = true}), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file(file, true, 4, {.layout = tp::sparse_csr}), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file(file, true, 4, {.device = "cuda:0"}), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file(file, true, -4), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file(file, true, 4, {.offset = -4}), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file(file, true, 4, {.offset = 2}), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file(file, true, std::int64_t{1} << 61), std::invalid_argument);
  }
  CHECK(folder.names() == std::vector<std::string>{"short"});
  CHECK(support::read_bytes(folder / "short") == support::bytes{1});
}

// Sizes.

TEST_CASE("negative and overflowing sizes are refused before the file system is asked", "[from_file]") {
  const support::temporary_folder folder;
  const auto file = folder / "f";
  for (const bool shared : {false, true}) {
    CHECK_THROWS_AS(tp::from_file<float>(file, shared, -1), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file<float>(file, shared, std::numeric_limits<std::int64_t>::min()), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file<float>(file, shared, std::int64_t{1} << 62), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file<double>(file, shared, std::int64_t{1} << 61), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file<float>(file, shared, (std::int64_t{1} << 62) + 1), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file<std::uint8_t>(file, shared, 8, {.offset = std::numeric_limits<std::int64_t>::max()}),
                    std::invalid_argument);
  }
  CHECK(folder.names().empty());
}

TEST_CASE("more than the file system can hold is EFBIG and leaves the file as it was", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "old", {1, 2});
  for (const auto* name : {"new", "old"}) {
    const auto code = failure_of([&] { tp::from_file<std::uint8_t>(folder / name, true, std::int64_t{1} << 60); }).code();
    // a tmpfs can hold the size, if not the bytes
    CHECK((code == std::errc::file_too_large || code == std::errc::no_space_on_device));
  }
  CHECK(folder.names() == std::vector<std::string>{"old"});
  CHECK(support::read_bytes(folder / "old") == support::bytes{1, 2});
}

TEST_CASE("whole_file maps every element that the file holds", "[from_file]") {
  const support::temporary_folder folder;
  support::write_values<float>(folder / "f", {1, 2, 3});
  CHECK(values(tp::from_file<float>(folder / "f", false, tp::whole_file)) == std::vector<float>{1, 2, 3});
  CHECK(values(tp::from_file<float>(folder / "f", true, tp::whole_file, {.offset = 4})) == std::vector<float>{2, 3});
  CHECK(tp::from_file(folder / "f", false, tp::whole_file).shape() == tp::dims{3});
}

TEST_CASE("whole_file of an empty file is an empty tensor, of a missing one an error", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "empty", {});
  for (const bool shared : {false, true}) {
    CHECK(tp::from_file<float>(folder / "empty", shared, tp::whole_file).numel() == 0);
    CHECK(failure_of([&] { tp::from_file<float>(folder / "missing", shared, tp::whole_file); }).code() ==
          std::errc::no_such_file_or_directory);
  }
  CHECK(folder.names() == std::vector<std::string>{"empty"});
}

TEST_CASE("whole_file of a byte count that is no multiple of the element says both counts", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(9));
  const auto error = failure_of([&] { tp::from_file<float>(folder / "f", false, tp::whole_file); });
  CHECK(error.code() == tp::storage_errc::partial_element);
  CHECK(error.wanted_bytes() == 12);
  CHECK(error.found_bytes() == 9);
  CHECK(support::mappings_below(folder.path()) == 0);
}

TEST_CASE("one dimension of a shape may be taken from the file", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(24));
  const auto t = tp::from_file<std::uint8_t>(folder / "f", false, {-1, 3, 2});
  CHECK(t.shape() == std::array<std::int64_t, 3>{4, 3, 2});
  CHECK(t(3, 2, 1) == 24);
  CHECK(tp::from_file<std::uint8_t>(folder / "f", false, {2, -1}, {.offset = 4}).shape() == std::array<std::int64_t, 2>{2, 10});
  CHECK(tp::from_file<std::uint8_t>(folder / "f", false, std::array<std::int64_t, 2>{6, 4})(5, 3) == 24);
  CHECK(tp::from_file(folder / "f", false, {6, -1}, {.dtype = tp::uint8}).shape() == tp::dims{6, 4});
}

TEST_CASE("a shape with two open dimensions, a zero beside one, or a negative one is refused", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(24));
  CHECK_THROWS_AS(tp::from_file<std::uint8_t>(folder / "f", false, {-1, -1}), std::invalid_argument);
  CHECK_THROWS_AS(tp::from_file<std::uint8_t>(folder / "f", false, {0, -1}), std::invalid_argument);
  CHECK_THROWS_AS(tp::from_file<std::uint8_t>(folder / "f", false, {-2, 3}), std::invalid_argument);
  CHECK(failure_of([&] { tp::from_file<std::uint8_t>(folder / "f", false, {-1, 7}); }).code() ==
        tp::storage_errc::partial_element);
  CHECK(failure_of([&] { tp::from_file<std::uint8_t>(folder / "f", false, {5, 5}); }).wanted_bytes() == 25);
}

TEST_CASE("a shared file is created and extended for a shape", "[from_file]") {
  const support::temporary_folder folder;
  const auto t = tp::from_file<std::int32_t>(folder / "f", true, {4, 5});
  t(3, 4) = 9;
  CHECK(support::read_values<std::int32_t>(folder / "f")[19] == 9);
}

TEST_CASE("the last element behind 4 GiB is usable", "[from_file]") {
  const support::temporary_folder folder;
  const auto count = 5 * gibibyte / 8;
  const auto t = tp::from_file<double>(folder / "f", true, count, {.sparse = true});
  t[count - 1] = 2.5;
  CHECK(tp::from_file<double>(folder / "f", false, count)[count - 1] == 2.5);
}

TEST_CASE("a private mapping may be larger than memory, and only written pages cost memory", "[from_file]") {
  const support::temporary_folder folder;
  support::write_sparse(folder / "f", 1024 * gibibyte);
  const auto before = support::resident_bytes();
  const auto t = tp::from_file<float>(folder / "f", false, tp::whole_file);
  t[t.numel() / 2] = 1.0F;
  CHECK(t[t.numel() / 2] == 1.0F);
  CHECK(t[t.numel() - 1] == 0.0F);
  CHECK(support::resident_bytes() - before < 8 * mebibyte);
}

TEST_CASE("opening, viewing and asking for shapes and pointers touches no page", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", support::bytes(static_cast<std::size_t>(64 * mebibyte), 1));
  const auto before = support::resident_bytes();
  const auto t = tp::from_file<float>(folder / "f", false, tp::whole_file);
  const auto matrix = t.reshape(1024, -1);
  const auto part = matrix.slice(0, 10, 1000, 3);
  CHECK(part.shape()[0] == 330);
  CHECK(part.data() == matrix.data() + 10 * matrix.shape()[1]);
  CHECK(t.span().size() == static_cast<std::size_t>(16 * mebibyte));
  CHECK(support::resident_bytes() - before < mebibyte);
}

// Files.

TEST_CASE("a missing file and a missing folder are ENOENT, and nothing is made", "[from_file]") {
  const support::temporary_folder folder;
  CHECK(failure_of([&] { tp::from_file<float>(folder / "f", false, 1); }).code() == std::errc::no_such_file_or_directory);
  const auto error = failure_of([&] { tp::from_file<float>(folder / "no" / "f", true, 1); });
  CHECK(error.code() == std::errc::no_such_file_or_directory);
  CHECK(error.path() == folder / "no" / "f");
  CHECK(folder.names().empty());
}

TEST_CASE("a read-only file maps privately and can be written there, shared it is refused", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(8));
  ::chmod((folder / "f").c_str(), 0444);
  ::chmod(folder.path().c_str(), 0755);
  CHECK(support::in_child([&] {
          if (!support::become_nobody()) return 2;
          const auto t = tp::from_file<std::uint8_t>(folder / "f", false, 8);
          t[0] = 99;
          if (t[0] != 99) return 3;
          if (tp::from_file<const std::uint8_t>(folder / "f", true, 8)[1] != 2) return 4;
          try {
            tp::from_file<std::uint8_t>(folder / "f", true, 8);
          } catch (const tp::storage_error& error) {
            return error.code() == std::errc::permission_denied ? 0 : 5;
          }
          return 6;
        }) == 0);
  CHECK(support::read_bytes(folder / "f") == counted_bytes(8));
}

TEST_CASE("elements that are const are mapped read-only", "[from_file]") {
  const support::temporary_folder folder;
  support::write_values<float>(folder / "f", {1, 2, 3});
  const auto weights = tp::from_file<const float>(folder / "f", false, tp::whole_file);
  STATIC_CHECK(std::is_same_v<decltype(weights[0]), const float&>);
  CHECK(weights.storage().access() == tp::access::read_only);
  CHECK_FALSE(weights.is_shared());
  CHECK(tp::from_file<const float>(folder / "f", true, 3).is_shared());
  const auto any = tp::from_file(folder / "f", false, 3, {.read_only = true});
  CHECK(any.as<const float>()[2] == 3.0F);
  CHECK_THROWS_AS(any.as<float>(), std::invalid_argument);
  CHECK_THROWS_AS(tp::from_file<float>(folder / "f", false, 3, {.read_only = true}), std::invalid_argument);
}

TEST_CASE("an empty tensor is read-only where that was asked for", "[from_file]") {
  const support::temporary_folder folder;
  support::write_values<float>(folder / "f", {1});
  const auto none = tp::from_file(folder / "f", false, 0, {.read_only = true});
  CHECK_FALSE(none.is_writable());
  CHECK(none.as<const float>().numel() == 0);
  CHECK_THROWS_AS(none.as<float>(), std::invalid_argument);
  CHECK(tp::from_file(folder / "f", false, 0).is_writable());
}

TEST_CASE("elements that are const never create or extend a file", "[from_file]") {
  const support::temporary_folder folder;
  support::write_values<float>(folder / "f", {1});
  CHECK(failure_of([&] { tp::from_file<const float>(folder / "missing", true, 4); }).code() ==
        std::errc::no_such_file_or_directory);
  CHECK(failure_of([&] { tp::from_file<const float>(folder / "f", true, 4); }).code() == tp::storage_errc::file_too_short);
  CHECK(std::filesystem::file_size(folder / "f") == 4);
}

TEST_CASE("anything but a regular file is refused at once", "[from_file]") {
  const support::temporary_folder folder;
  ::mkfifo((folder / "fifo").c_str(), 0600);
  std::filesystem::create_directory(folder / "directory");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ::sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto socket_name = "s";
  const auto back = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());  // a socket's name must be short
  std::copy_n(socket_name, 2, address.sun_path);
  REQUIRE(::bind(socket, reinterpret_cast<const ::sockaddr*>(&address), sizeof address) == 0);
  std::filesystem::current_path(back);
  const auto before = support::open_descriptors();
  for (const auto& path : {folder / "fifo", folder / "directory", folder / "s", std::filesystem::path{"/dev/zero"}}) {
    for (const bool shared : {false, true}) {
      CAPTURE(path, shared);
      const auto begin = std::chrono::steady_clock::now();
      const auto error = failure_of([&] { tp::from_file<std::uint8_t>(path, shared, 4); });
      CHECK(error.code() == tp::storage_errc::not_a_regular_file);
      CHECK(error.path() == path);
      CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{1});
    }
  }
  CHECK(support::open_descriptors() == before);
  ::close(socket);
}

TEST_CASE("symbolic links are followed", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(8));
  std::filesystem::create_symlink("f", folder / "link");
  CHECK(tp::from_file<std::uint8_t>(folder / "link", false, 8)[7] == 8);
  CHECK(tp::from_file<std::uint8_t>(folder / "link", true, 10)[9] == 0);
  CHECK(std::filesystem::file_size(folder / "f") == 10);
}

TEST_CASE("a full disk is ENOSPC at the call, never a signal later", "[from_file]") {
  const support::mounted small{"tmpfs", "size=64k"};
  if (!small) SKIP("may not mount a tmpfs here");
  support::write_bytes(small / "old", counted_bytes(8));
  CHECK(failure_of([&] { tp::from_file<std::uint8_t>(small / "new", true, mebibyte); }).code() == std::errc::no_space_on_device);
  CHECK(failure_of([&] { tp::from_file<std::uint8_t>(small / "old", true, mebibyte); }).code() == std::errc::no_space_on_device);
  CHECK(small.names() == std::vector<std::string>{"old"});
  CHECK(support::read_bytes(small / "old") == counted_bytes(8));
  CHECK(tp::from_file<std::uint8_t>(small / "sparse", true, mebibyte, {.sparse = true}).numel() == mebibyte);
}

TEST_CASE("two writers that extend one new file leave the larger size", "[from_file]") {
  constexpr std::int64_t n = 10'000;
  const support::temporary_folder folder;
  for (int round = 0; round < 100; ++round) {
    const auto file = folder / std::to_string(round);
    const auto child = ::fork();
    if (child == 0) {
      const auto t = tp::from_file<std::int32_t>(file, true, n);
      t[n - 1] = 5;
      ::_exit(0);
    }
    const auto t = tp::from_file<std::int32_t>(file, true, 2 * n);
    t[2 * n - 1] = 6;
    int status{};
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    const auto content = support::read_values<std::int32_t>(file);
    REQUIRE(content.size() == 2 * n);
    CHECK((content[n - 1] == 5 && content[2 * n - 1] == 6));
  }
}

TEST_CASE("a file replaced again and again while it is opened is mapped whole or refused, without a signal", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "long", counted_bytes(64 * kibibyte));
  support::write_bytes(folder / "short", counted_bytes(16));
  std::filesystem::create_symlink("long", folder / "f");
  const auto child = ::fork();
  if (child == 0) {
    for (int round = 0;; ++round) {
      std::filesystem::create_symlink(round % 2 == 0 ? "short" : "long", folder / "next");
      std::filesystem::rename(folder / "next", folder / "f");
    }
  }
  int mapped = 0;
  int refused = 0;
  for (int round = 0; round < 5'000; ++round) {
    try {
      mapped += tp::from_file<std::uint8_t>(folder / "f", false, 64 * kibibyte)[64 * kibibyte - 1] == 0 ? 1 : 0;
    } catch (const tp::storage_error& error) {
      CHECK(error.found_bytes() == 16);
      ++refused;
    }
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(mapped + refused == 5'000);
}

TEST_CASE("an empty filename and one with a NUL are refused", "[from_file]") {
  const support::temporary_folder folder;
  for (const bool shared : {false, true}) {
    CHECK_THROWS_AS(tp::from_file<float>("", shared, 1), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file<float>("", shared, 0), std::invalid_argument);
    CHECK_THROWS_AS(tp::from_file<float>(std::string{"f\0g", 3}, shared, 1), std::invalid_argument);
  }
}

TEST_CASE("names in UTF-8, with spaces and of 255 bytes work", "[from_file]") {
  const support::temporary_folder folder;
  for (const std::string& name : {std::string{"größe 張量 🙂"}, std::string{" leading and trailing "}, std::string(255, 'x'),
                                  std::string{"new\nline"}, std::string{"-dash"}}) {
    tp::from_file<std::uint8_t>(folder / name, true, 3)[2] = 7;
    const auto t = tp::from_file<std::uint8_t>(folder / name, false, 3);
    CHECK(t[2] == 7);
    CHECK(t.filename() == folder / name);
  }
  CHECK(failure_of([&] { tp::from_file<float>(folder / std::string(256, 'x'), true, 3); }).code() ==
        std::errc::filename_too_long);
}

TEST_CASE("no failure and no success leaves a descriptor or a mapping", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(9));
  ::mkfifo((folder / "fifo").c_str(), 0600);
  const auto descriptors = support::open_descriptors();
  const auto attempt = [&](int round) {
    switch (round % 9) {
      case 0: tp::from_file<float>(folder / "missing", false, 4); break;
      case 1: tp::from_file<float>(folder / "no" / "missing", true, 4); break;
      case 2: tp::from_file<float>(folder / "f", false, 4); break;
      case 3: tp::from_file<float>(folder / "fifo", true, 4); break;
      case 4: tp::from_file<std::uint8_t>(folder / "f", true, std::int64_t{1} << 60); break;
      case 5: tp::from_file<float>(folder / "f", false, tp::whole_file); break;
      case 6: tp::from_file<float>(folder / "f", true, 4, {.pin_memory = true}); break;
      case 7: tp::from_file<std::uint8_t>(folder / "new", true, std::int64_t{1} << 60); break;
      default: tp::from_file<float>(folder.path(), false, 4);
    }
  };
  int failures = 0;
  for (int round = 0; round < 9'000; ++round) {
    try {
      attempt(round);
    } catch (const std::exception&) {
      ++failures;
    }
  }
  CHECK(failures == 9'000);
  for (int round = 0; round < 1'000; ++round) tp::from_file<std::uint8_t>(folder / "f", round % 2 == 0, 9);
  CHECK(support::open_descriptors() == descriptors);
  CHECK(support::mappings_below(folder.path()) == 0);
  CHECK(folder.names() == std::vector<std::string>{"f", "fifo"});
}

TEST_CASE("a successful mapping holds no descriptor", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(9));
  const auto before = support::open_descriptors();
  const auto open_file = tp::from_file<std::uint8_t>(folder / "f", false, 9);
  const auto grown_file = tp::from_file<std::uint8_t>(folder / "f", true, 90);
  const auto new_file = tp::from_file<std::uint8_t>(folder / "g", true, 90);
  CHECK(support::open_descriptors() == before);
}

TEST_CASE("no descriptor left is an error and nothing is made", "[from_file]") {
  const support::temporary_folder folder;
  CHECK(support::in_child([&] {
          const ::rlimit limit{3, 3};
          ::setrlimit(RLIMIT_NOFILE, &limit);
          try {
            tp::from_file<std::uint8_t>(folder / "f", true, 9);
          } catch (const tp::storage_error& error) {
            return error.code() == std::errc::too_many_files_open ? 0 : 2;
          }
          return 1;
        }) == 0);
  CHECK(folder.names().empty());
}

// Life of the tensor.

TEST_CASE("a view that outlives the tensor it came from stays valid", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(24));
  auto t = tp::from_file<std::uint8_t>(folder / "f", false, 24);
  const auto view = t.reshape(4, 6).slice(1, 2, 4);
  t = {};
  CHECK(view(3, 1) == 22);
  CHECK(support::mappings_below(folder.path()) == 1);
}

TEST_CASE("a mapping keeps the old bytes when its file is renamed, replaced or unlinked", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(8));
  support::write_bytes(folder / "other", support::bytes(8, 0));
  const auto t = tp::from_file<std::uint8_t>(folder / "f", false, 8);
  std::filesystem::rename(folder / "f", folder / "moved");
  CHECK(values(t) == counted_bytes(8));
  std::filesystem::rename(folder / "other", folder / "moved");
  CHECK(values(t) == counted_bytes(8));
  std::filesystem::remove(folder / "moved");
  CHECK(values(t) == counted_bytes(8));
}

TEST_CASE("after a fork both see shared stores and neither sees the other's private ones", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "private", counted_bytes(8));
  const auto shared = tp::from_file<std::uint8_t>(folder / "shared", true, 8);
  const auto own = tp::from_file<std::uint8_t>(folder / "private", false, 8);
  CHECK(support::in_child([&] {
          shared[0] = 42;
          own[0] = 42;
          return 0;
        }) == 0);
  CHECK(shared[0] == 42);
  CHECK(own[0] == 1);
}

TEST_CASE("flush hands shared stores to the file system and does nothing elsewhere", "[from_file]") {
  const support::temporary_folder folder;
  const auto t = tp::from_file<std::uint8_t>(folder / "f", true, 8);
  t[0] = 5;
  t.flush();
  CHECK(support::read_bytes(folder / "f")[0] == 5);
  tp::from_file<std::uint8_t>(folder / "f", false, 8).flush();
  tp::from_file<const std::uint8_t>(folder / "f", true, 8).flush();
  tp::from_file<std::uint8_t>(folder / "f", true, 0).flush();
}

TEST_CASE("saving over the mapped file loses no byte of any mapping", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(8));
  const auto t = tp::from_file<std::uint8_t>(folder / "f", true, 8);
  const auto other = tp::from_file<std::uint8_t>(folder / "f", true, 8);
  t.tofile(folder / "f");
  CHECK(values(t) == counted_bytes(8));
  CHECK(support::read_bytes(folder / "f") == counted_bytes(8));
  t.slice(0, 0, 2).tofile(folder / "f");
  CHECK(values(t) == counted_bytes(8));
  CHECK(values(other) == counted_bytes(8));
  CHECK(support::read_bytes(folder / "f") == support::bytes{1, 2});
  CHECK(support::in_child([&] { return values(other) == counted_bytes(8) ? 0 : 1; }) == 0);
  CHECK(folder.names() == std::vector<std::string>{"f"});
}

TEST_CASE("filename is the path of any mapped storage, empty for memory", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", counted_bytes(8));
  for (const bool shared : {false, true}) {
    CHECK(tp::from_file<std::uint8_t>(folder / "f", shared, 8).filename() == folder / "f");
    CHECK(tp::from_file(folder / "f", shared, 2).filename() == folder / "f");
  }
  CHECK(tp::from_file<std::uint8_t>(folder / "new", true, 8).filename() == folder / "new");
  CHECK(tp::zeros<float>(3).filename().empty());
}

// Formats in front and behind.

TEST_CASE("a header in front is skipped by an offset, bytes behind the array are left alone", "[from_file]") {
  const support::temporary_folder folder;
  support::bytes content(72, 0xee);
  const std::array<float, 3> array{1.5F, 2.5F, 3.5F};
  const auto* raw = reinterpret_cast<const std::uint8_t*>(array.data());
  content.insert(content.end(), raw, raw + sizeof array);
  content.insert(content.end(), 4, 0xdd);
  support::write_bytes(folder / "f", content);
  CHECK(values(tp::from_file<float>(folder / "f", false, 3, {.offset = 72})) == std::vector<float>{1.5F, 2.5F, 3.5F});
  const auto shared = tp::from_file<float>(folder / "f", true, 3, {.offset = 72});
  shared[2] = 9;
  shared.flush();
  CHECK(support::read_bytes(folder / "f").size() == 88);
  CHECK(support::read_bytes(folder / "f").back() == 0xdd);
  CHECK_THROWS_AS(tp::from_file<float>(folder / "f", false, 3, {.offset = 73}), std::invalid_argument);
}

TEST_CASE("boolean bytes of any value read as whether they are zero", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {0, 1, 2, 255});
  const auto t = tp::from_file<tp::bool8_t>(folder / "f", false, 4);
  CHECK(std::vector<bool>(t.begin(), t.end()) == std::vector<bool>{false, true, true, true});
}

TEST_CASE("load copies elements into memory, by type, shape or all of them", "[from_file]") {
  const support::temporary_folder folder;
  support::write_values<float>(folder / "f", {1, 2, 3, 4, 5, 6});
  const auto t = tp::load<float>(folder / "f", 6);
  CHECK(std::vector<float>(t.begin(), t.end()) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(t.filename().empty());
  t(0) = 9;
  CHECK(support::read_values<float>(folder / "f").front() == 1);
  CHECK(tp::load<float>(folder / "f", {-1, 3})(1, 0) == 4);
  CHECK(tp::load<float>(folder / "f", tp::whole_file).numel() == 6);
  CHECK(tp::load(folder / "f", tp::whole_file).numel() == 6);
  CHECK(tp::load(folder / "f", {3, -1}, {.dtype = tp::int32}).shape()[1] == 2);
  CHECK(tp::load(folder / "f", 2, {.dtype = tp::float32, .offset = 8}).as<float>()(0) == 3);
  CHECK(tp::load<std::uint16_t>(folder / "f", 1, {.offset = 3}).numel() == 1);  // a copy is aligned wherever it came from
  CHECK(tp::load<float>(folder / "missing", 0).numel() == 0);
}

TEST_CASE("load refuses what from_file refuses", "[from_file]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", support::bytes(9, 1));
  CHECK_THROWS_AS(tp::load<float>(folder / "f", -1), std::invalid_argument);
  CHECK_THROWS_AS(tp::load<float>(folder / "f", 1, {.pin_memory = true}), std::invalid_argument);
  CHECK_THROWS_AS(tp::load<float>(folder / "f", 1, {.dtype = tp::float64}), std::invalid_argument);
  CHECK_THROWS_AS(tp::load(folder / "f", 1, {.device = tp::device{"cuda"}}), std::invalid_argument);
  CHECK_THROWS_AS(tp::load(folder / "f", {-1, -1}), std::invalid_argument);
  CHECK_THROWS_AS(tp::load<float>(folder / "f", 3), tp::storage_error);
  CHECK_THROWS_AS(tp::load<float>(folder / "f", tp::whole_file), tp::storage_error);
}
