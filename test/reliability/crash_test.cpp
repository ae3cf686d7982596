// A process that is killed at any moment leaves the old file or the new one.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>

#include "support.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t step = 5'000;  // bytes; version n of a file has n steps, all of value n
constexpr int versions = 20;

std::int64_t bytes_of(int version) { return version * step; }

bool is_version(const support::bytes& content) {
  const auto nbytes = std::ssize(content);
  return nbytes % step == 0 && std::ranges::count(content, nbytes / step) == nbytes;
}

/// Kills a process at a random moment while it writes one version after the other, though not before the first one is there.
void kill_while(const std::function<void(int)>& write_version, std::mt19937& random) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto first = static_cast<int>(random() % versions);
  const auto child = ::fork();
  if (child == 0) {
    for (int round = first;; ++round) {
      write_version(1 + round % versions);
      if (round == first && ::write(ends[1], "x", 1) != 1) ::_exit(1);
    }
  }
  char done{};
  CHECK(::read(ends[0], &done, 1) == 1);
  ::close(ends[0]);
  ::close(ends[1]);
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{random() % 2'000};
  while (std::chrono::steady_clock::now() < end) ::sched_yield();
  ::kill(child, SIGKILL);
  int status{};
  ::waitpid(child, &status, 0);
  CHECK(WTERMSIG(status) == SIGKILL);
}

/// Kills a writer a number of times; before and after, the file is a whole version. Says how many versions were seen.
int killed_versions(int rounds, const std::function<void(const std::filesystem::path&, int)>& write_version) {
  const support::temporary_folder folder;
  std::mt19937 random{1};
  std::vector<int> seen(versions + 1);
  int wrong = 0;
  write_version(folder / "f", 1);
  for (int round = 0; round < rounds; ++round) {
    kill_while([&](int version) { write_version(folder / "f", version); }, random);
    const auto content = support::read_bytes(folder / "f");
    wrong += is_version(content) ? 0 : 1;
    seen[std::min<std::size_t>(content.size() / step, versions)] = 1;
    for (const auto& name : folder.names()) {  // what the killed process did not come to remove
      if (name.starts_with(".tensorplay-")) std::filesystem::remove(folder / name);
    }
  }
  CHECK(wrong == 0);
  CHECK(folder.names() == std::vector<std::string>{"f"});
  return static_cast<int>(std::ranges::count(seen, 1));
}

}  // namespace

TEST_CASE("a process killed in tofile leaves the old file or the new one", "[crash]") {
  const auto save = [](bool durable) {
    return [=](const std::filesystem::path& path, int version) {
      tp::full<std::uint8_t>({bytes_of(version)}, version).tofile(path, {.durable = durable});
    };
  };
  CHECK(killed_versions(300, save(false)) > versions / 2);
  CHECK(killed_versions(100, save(true)) > versions / 2);
}

TEST_CASE("a process killed in atomic_update leaves the old file or the new one", "[crash]") {
  const auto update = [](const std::filesystem::path& path, int version) {
    tp::atomic_update<std::uint8_t>(path, bytes_of(version), [&](auto& t) { t.fill_(version); }, {.durable = false});
  };
  CHECK(killed_versions(300, update) > versions / 2);
}

TEST_CASE("a process killed while it appends leaves the old file or the new one", "[crash]") {
  const support::temporary_folder folder;
  std::mt19937 random{2};
  std::size_t length = 0;
  for (int round = 0; round < 100; ++round) {
    kill_while([&](int) { tp::full<std::uint8_t>({step}, 7).tofile(folder / "f", {.durable = false, .append = true}); }, random);
    const auto content = support::read_bytes(folder / "f");
    CHECK(content.size() % step == 0);
    CHECK(content.size() >= length);
    CHECK(std::ranges::count(content, 7) == std::ssize(content));
    length = content.size();
    if (length > 1'000'000) {
      std::filesystem::remove(folder / "f");
      length = 0;
    }
  }
}

TEST_CASE("a process killed in growth leaves the old size or the new one, and every old byte", "[crash]") {
  const support::temporary_folder folder;
  std::mt19937 random{3};
  int longer = 0;
  for (int round = 0; round < 300; ++round) {
    const auto path = folder / std::to_string(round);
    const bool is_new = round % 2 == 0;
    if (!is_new) support::write_bytes(path, support::bytes(step, 9));
    kill_while(
        [&](int) {
          const auto length = std::filesystem::exists(path) ? std::filesystem::file_size(path) : 0;
          tp::from_file<std::uint8_t>(path, true, static_cast<std::int64_t>(length) + step);
        },
        random);
    const auto content = support::read_bytes(path);
    CHECK(content.size() % step == 0);
    CHECK(std::ranges::count(content, 9) == (is_new ? 0 : step));
    CHECK((is_new || content[step - 1] == 9));
    longer += content.size() > step ? 1 : 0;
    std::filesystem::remove(path);
  }
  CHECK(longer >= 150);
}
