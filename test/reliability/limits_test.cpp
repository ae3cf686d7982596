// What the system refuses to everybody: space, limits of the process, file systems that cannot be written. Quotas need a kernel and
// a disk that have them: faults_test lets every call that takes space fail with EDQUOT instead.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <signal.h>
#include <sys/resource.h>

#include "support.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t mebibyte = 1 << 20;
const support::bytes old_bytes{1, 2, 3};

using use = std::pair<const char*, std::function<void(const std::filesystem::path&)>>;

/// Every way to give a file a mebibyte.
std::vector<use> enlarging() {
  return {
      {"from_file", [](const auto& path) { tp::from_file<std::uint8_t>(path, true, mebibyte); }},
      {"tofile", [](const auto& path) { tp::zeros<std::uint8_t>(mebibyte).tofile(path); }},
      {"tofile, not durable", [](const auto& path) { tp::zeros<std::uint8_t>(mebibyte).tofile(path, {.durable = false}); }},
      {"tofile, appended", [](const auto& path) { tp::zeros<std::uint8_t>(mebibyte).tofile(path, {.append = true}); }},
      {"tofile, strided",
       [](const auto& path) { tp::zeros<std::uint8_t>(mebibyte, 2).select(1, 0).tofile(path, {.durable = false}); }},
      {"atomic_update", [](const auto& path) { tp::atomic_update<std::uint8_t>(path, mebibyte, [](auto& t) { t.fill_(1); }); }},
  };
}

std::error_code code_of(const use& used, const std::filesystem::path& path) {
  const auto error = support::caught<tp::storage_error>([&] { used.second(path); });
  return error && error->path() == path ? error->code() : std::error_code{};
}

/// Uses all of them on a new and on an old file: each must be refused with the code, and change nothing. Names the first that is not.
std::string first_not_refused(const std::filesystem::path& folder, std::errc code) {
  support::write_bytes(folder / "old", old_bytes);
  const auto descriptors = support::open_descriptors();
  for (const auto& used : enlarging()) {
    if (code_of(used, folder / "new") != code) return std::string{used.first} + " to a new file";
    if (code_of(used, folder / "old") != code) return std::string{used.first} + " to an old file";
    if (support::read_bytes(folder / "old") != old_bytes) return std::string{used.first} + " changed the old file";
    if (std::distance(std::filesystem::directory_iterator{folder}, {}) != 1) return std::string{used.first} + " left a file";
    if (support::open_descriptors() != descriptors) return std::string{used.first} + " left a descriptor";
  }
  return "";
}

/// The same in a child, which may give up rights.
template <class Prepare>
std::string first_not_refused_in_child(const std::filesystem::path& folder, std::errc code, Prepare prepare) {
  const support::temporary_folder reports;
  ::chmod(reports.path().c_str(), 0777);
  const auto status = support::in_child([&] {
    prepare();
    const auto wrong = first_not_refused(folder, code);
    support::write_bytes(reports / "report", {wrong.begin(), wrong.end()});
    return 0;
  });
  if (status != 0) return "the child ended with " + std::to_string(status);
  const auto report = support::read_bytes(reports / "report");
  return {report.begin(), report.end()};
}

void limit(__rlimit_resource_t resource, std::uint64_t most) {
  const ::rlimit both{most, most};
  ::setrlimit(resource, &both);
}

}  // namespace

TEST_CASE("a full disk is ENOSPC, and changes nothing", "[limits]") {
  const support::mounted small{"tmpfs", "size=64k"};
  if (!small) SKIP("may not mount a tmpfs here");
  CHECK(first_not_refused(small.path(), std::errc::no_space_on_device) == "");
}

TEST_CASE("a size over RLIMIT_FSIZE is EFBIG and no SIGXFSZ, and changes nothing", "[limits]") {
  const support::temporary_folder folder;
  const auto wrong = first_not_refused_in_child(folder.path(), std::errc::file_too_large, [] {
    ::signal(SIGXFSZ, SIG_DFL);
    limit(RLIMIT_FSIZE, 64'000);
  });
  CHECK(wrong == "");
}

TEST_CASE("the same on a file system that cannot reserve", "[limits]") {
  const support::mounted plain{"ramfs", ""};
  if (!plain) SKIP("may not mount a ramfs here");
  CHECK(first_not_refused_in_child(plain.path(), std::errc::file_too_large, [] { limit(RLIMIT_FSIZE, 64'000); }) == "");
}

TEST_CASE("a file system that cannot reserve is written all the same", "[limits]") {
  const support::mounted plain{"ramfs", ""};
  if (!plain) SKIP("may not mount a ramfs here");
  for (const auto& used : enlarging()) {
    INFO(used.first);
    used.second(plain / "f");
    CHECK(std::filesystem::file_size(plain / "f") % mebibyte == 0);
    CHECK(plain.names() == std::vector<std::string>{"f"});
  }
}

TEST_CASE("a file system that cannot be written is EROFS, and its files map privately", "[limits]") {
  const support::mounted fixed{"tmpfs", ""};
  if (!fixed) SKIP("may not mount a tmpfs here");
  support::write_bytes(fixed / "old", old_bytes);
  REQUIRE(::mount("none", fixed.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") == 0);
  for (const auto& used : enlarging()) {
    INFO(used.first);
    CHECK(code_of(used, fixed / "old") == std::errc::read_only_file_system);
    CHECK(code_of(used, fixed / "new") == std::errc::read_only_file_system);
  }
  CHECK(tp::sum(tp::from_file<std::uint8_t>(fixed / "old", false, 3)) == 6);
  CHECK_NOTHROW(tp::verify(tp::from_file<const std::uint8_t>(fixed / "old", true, 3)));
}

TEST_CASE("a process without descriptors gets EMFILE, and leaves nothing", "[limits]") {
  if (support::sanitized) SKIP("a sanitizer needs descriptors of its own; faults_test has EMFILE at every call");
  const support::temporary_folder folder;
  support::write_bytes(folder / "old", old_bytes);
  const auto mapped = tp::from_file<std::uint8_t>(folder / "old", true, 3);
  CHECK(support::in_child([&] {
          limit(RLIMIT_NOFILE, 0);
          for (const auto& used : enlarging()) {
            if (code_of(used, folder / "old") != std::errc::too_many_files_open) return 1;
            if (code_of(used, folder / "new") != std::errc::too_many_files_open) return 2;
          }
          const auto code = [](auto call) { return support::caught<tp::storage_error>(call).value().code(); };
          if (code([&] { tp::from_file<std::uint8_t>(folder / "old", false, 3); }) != std::errc::too_many_files_open) return 3;
          if (code([&] { tp::fault_guard{mapped}; }) != std::errc::too_many_files_open) return 4;
          tp::verify(mapped);  // needs none
          mapped.flush();
          return mapped.is_stale() ? 5 : 0;
        }) == 0);
  CHECK(folder.names() == std::vector<std::string>{"old"});
  CHECK(support::read_bytes(folder / "old") == old_bytes);
}

TEST_CASE("a process without address space gets ENOMEM, and leaves nothing", "[limits]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "old", old_bytes);
  support::write_sparse(folder / "large", mebibyte << 12);
  CHECK(support::in_child([&] {
          limit(RLIMIT_AS, std::uint64_t{1} << 31);
          const std::int64_t size = mebibyte << 12;
          const auto code = [](auto call) { return support::caught<tp::storage_error>(call).value().code(); };
          const auto refused = std::errc::not_enough_memory;
          if (code([&] { tp::from_file<std::uint8_t>(folder / "large", false, size); }) != refused) return 1;
          if (code([&] { tp::from_file<std::uint8_t>(folder / "old", true, size, {.sparse = true}); }) != refused) return 2;
          if (code([&] { tp::from_file<std::uint8_t>(folder / "new", true, size, {.sparse = true}); }) != refused) return 3;
          return 0;
        }) == 0);
  CHECK(folder.names() == std::vector<std::string>{"large", "old"});
  CHECK(support::read_bytes(folder / "old") == old_bytes);
}
