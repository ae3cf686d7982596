#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "support.hpp"

import tensorplay.storage;

namespace tp = tensorplay;

namespace {
std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span{text}); }

void replace(const std::filesystem::path& path, const std::string& text) {
  tp::file_replacement file{path, static_cast<std::int64_t>(text.size())};
  file.write(bytes_of(text));
  file.commit();
}

std::string text_of(const std::filesystem::path& path) {
  const auto content = support::read_bytes(path);
  return {content.begin(), content.end()};
}
}  // namespace

TEST_CASE("a replacement appears under its name when it is committed, not before", "[replacement]") {
  const support::temporary_folder folder;
  tp::file_replacement file{folder / "f", 5};
  file.write(bytes_of("new"));
  file.write(bytes_of("er"));
  CHECK_FALSE(std::filesystem::exists(folder / "f"));
  file.commit();
  CHECK(text_of(folder / "f") == "newer");
  CHECK(folder.names() == std::vector<std::string>{"f"});
}

TEST_CASE("a replacement without commit leaves the file as it was and nothing beside it", "[replacement]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {'o', 'l', 'd'});
  {
    tp::file_replacement file{folder / "f", 3};
    file.write(bytes_of("new"));
  }
  CHECK(text_of(folder / "f") == "old");
  CHECK(folder.names() == std::vector<std::string>{"f"});
}

TEST_CASE("a replacement of another length than announced is refused", "[replacement]") {
  const support::temporary_folder folder;
  tp::file_replacement file{folder / "f", 3};
  CHECK_THROWS_AS(file.write(bytes_of("newer")), std::invalid_argument);
  file.write(bytes_of("ne"));
  CHECK_THROWS_AS(file.commit(), std::invalid_argument);
  CHECK_THROWS_AS((tp::file_replacement{folder / "f", -1}), std::invalid_argument);
}

TEST_CASE("after commit or a move a replacement refuses to go on", "[replacement]") {
  const support::temporary_folder folder;
  tp::file_replacement file{folder / "f", 0};
  auto moved = std::move(file);
  CHECK_THROWS_AS(file.commit(), std::invalid_argument);  // NOLINT: this is what is tested
  moved.commit();
  CHECK_THROWS_AS(moved.commit(), std::invalid_argument);
  CHECK_THROWS_AS(moved.write({}), std::invalid_argument);
}

TEST_CASE("a replaced file keeps its mode, a new one has 0666 less the umask", "[replacement]") {
  const support::temporary_folder folder;
  const auto umask = ::umask(022);
  replace(folder / "new", "text");
  CHECK(support::mode_of(folder / "new") == 0644);
  ::chmod((folder / "new").c_str(), 0640);
  replace(folder / "new", "other");
  CHECK(support::mode_of(folder / "new") == 0640);
  ::umask(umask);
}

TEST_CASE("the target of a symbolic link is replaced, not the link", "[replacement]") {
  const support::temporary_folder folder;
  std::filesystem::create_directory(folder / "below");
  support::write_bytes(folder / "below" / "target", {'o', 'l', 'd'});
  std::filesystem::create_symlink("below/target", folder / "link");
  replace(folder / "link", "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(text_of(folder / "below" / "target") == "new");
}

TEST_CASE("a name of 255 bytes can be replaced", "[replacement]") {
  const support::temporary_folder folder;
  const std::string name(255, 'n');
  replace(folder / name, "text");
  CHECK(text_of(folder / name) == "text");
}

TEST_CASE("a file that may not be written is not replaced", "[replacement]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {'o', 'l', 'd'});
  ::chmod((folder / "f").c_str(), 0444);
  ::chmod(folder.path().c_str(), 0777);
  CHECK(support::in_child([&] {
          if (!support::become_nobody()) return 2;
          try {
            replace(folder / "f", "new");
          } catch (const tp::storage_error& error) {
            return error.code() == std::errc::permission_denied ? 0 : 3;
          }
          return 1;
        }) == 0);
  CHECK(text_of(folder / "f") == "old");
}

TEST_CASE("what is not a regular file is not replaced", "[replacement]") {
  const support::temporary_folder folder;
  ::mkfifo((folder / "fifo").c_str(), 0600);
  for (const auto& path : {folder / "fifo", folder.path(), std::filesystem::path{"/dev/null"}}) {
    try {
      replace(path, "new");
      FAIL("replaced " << path);
    } catch (const tp::storage_error& error) {
      CHECK(error.code() == tp::storage_errc::not_a_regular_file);
      CHECK(error.path() == path);
    }
  }
  CHECK(folder.names() == std::vector<std::string>{"fifo"});
}

TEST_CASE("a missing folder and a full disk leave nothing behind", "[replacement]") {
  const support::temporary_folder folder;
  CHECK_THROWS_AS(replace(folder / "missing" / "f", "new"), tp::storage_error);
  const support::mounted small{"tmpfs", "size=64k"};
  if (!small) SKIP("may not mount a tmpfs here");
  support::write_bytes(small / "f", {'o', 'l', 'd'});
  try {
    replace(small / "f", std::string(1 << 20, 'n'));
    FAIL("written");
  } catch (const tp::storage_error& error) {
    CHECK(error.code() == std::errc::no_space_on_device);
  }
  CHECK(text_of(small / "f") == "old");
  CHECK(small.names() == std::vector<std::string>{"f"});
}

TEST_CASE("a size over the process's limit is an error, not a signal", "[replacement]") {
  const support::temporary_folder folder;
  CHECK(support::in_child([&] {
          const ::rlimit limit{1000, 1000};
          ::setrlimit(RLIMIT_FSIZE, &limit);
          try {
            replace(folder / "f", std::string(2000, 'n'));
          } catch (const tp::storage_error& error) {
            return error.code() == std::errc::file_too_large ? 0 : 2;
          }
          return 1;
        }) == 0);
  CHECK(folder.names().empty());
}

TEST_CASE("processes that append at once all keep what they appended", "[replacement]") {
  constexpr int processes = 8;
  constexpr int rounds = 10;
  const support::temporary_folder folder;
  std::vector<::pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const auto child = ::fork();
    if (child == 0) {
      for (int round = 0; round < rounds; ++round) {
        tp::file_replacement longer{folder / "f", 3, {.durable = false, .append = true}};
        longer.write(bytes_of(std::string(3, static_cast<char>('a' + process))));
        longer.commit();
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const auto child : children) {
    int status{};
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  const auto text = text_of(folder / "f");
  CHECK(text.size() == processes * rounds * 3);
  for (int process = 0; process < processes; ++process) {
    CHECK(std::count(text.begin(), text.end(), static_cast<char>('a' + process)) == rounds * 3);
  }
  CHECK(folder.names() == std::vector<std::string>{"f"});
}

TEST_CASE("a file that appears before the commit is not overwritten where that was refused", "[replacement]") {
  const support::temporary_folder folder;
  tp::file_replacement made{folder / "f", 3, {.overwrite = false}};
  made.write(bytes_of("new"));
  support::write_bytes(folder / "f", {'o', 'l', 'd'});
  const auto error = support::caught<tp::storage_error>([&] { made.commit(); });
  CHECK(error.value().code() == std::errc::file_exists);
  made = tp::file_replacement{folder / "g", 0};
  CHECK(text_of(folder / "f") == "old");
  CHECK(folder.names().size() == 2);  // f and the new file of g
}

TEST_CASE("the bytes of a replacement can be stored through a mapping", "[replacement]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {'o', 'l', 'd'});
  tp::file_replacement longer{folder / "f", 2, {.append = true}};
  const auto bytes = longer.map();
  CHECK_THROWS_AS(longer.map(), std::invalid_argument);
  CHECK_THROWS_AS(longer.write(bytes_of("x")), std::invalid_argument);
  bytes.mutable_data()[1] = std::byte{'!'};
  CHECK(text_of(folder / "f") == "old");
  longer.commit();
  CHECK(text_of(folder / "f") == std::string("old\0!", 5));
  CHECK(bytes.filename() == folder / "f");
  bytes.mutable_data()[0] = std::byte{'?'};
  CHECK(text_of(folder / "f") == "old?!");
  CHECK_THROWS_AS(longer.map(), std::invalid_argument);
}

TEST_CASE("a folder that may be written but not read is not synced, and the file is replaced", "[replacement]") {
  const support::temporary_folder folder;
  ::chmod(folder.path().c_str(), 0733);
  CHECK(support::in_child([&] {
          if (!support::become_nobody()) return 2;
          replace(folder / "f", "new");
          return 0;
        }) == 0);
  ::chmod(folder.path().c_str(), 0700);
  CHECK(text_of(folder / "f") == "new");
}
