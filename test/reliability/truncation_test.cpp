// Another process truncates, replaces and unlinks a file while this one adds it up under a guard.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "support.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t nbytes = 64 * 4096;

enum class deed { nothing, extend, unlink, replace, truncate, truncate_and_unlink, truncate_and_replace };
constexpr int deeds = 7;

bool loses_bytes(deed done) { return done >= deed::truncate; }

void commit(deed done, const std::filesystem::path& path, std::int64_t left) {
  if (loses_bytes(done)) std::filesystem::resize_file(path, static_cast<std::uintmax_t>(left));
  switch (done) {
    case deed::extend: std::filesystem::resize_file(path, 2 * nbytes); break;
    case deed::unlink:
    case deed::truncate_and_unlink: std::filesystem::remove(path); break;
    case deed::replace:
    case deed::truncate_and_replace:
      support::write_bytes(path.string() + "2", {1});
      std::filesystem::rename(path.string() + "2", path);
      break;
    case deed::nothing:
    case deed::truncate: break;
  }
}

}  // namespace

TEST_CASE("whatever another process does to the file, no signal comes, every loss is reported, and nothing else is",
          "[truncation]") {
  constexpr int rounds = 1'000;
  std::mt19937 random{1};
  const support::temporary_folder folder;
  const auto path = folder / "f";
  int losses = 0;
  for (int round = 0; round < rounds; ++round) {
    support::write_bytes(path, support::bytes(nbytes, 1));
    const bool shared = random() % 2 == 0;
    const auto done = static_cast<deed>(random() % deeds);
    const auto left = static_cast<std::int64_t>(random()) % nbytes / 512 * 512;
    const auto delay = random() % 200;
    const auto t = tp::from_file<std::uint8_t>(path, shared, nbytes);
    const tp::fault_guard guard{t};
    const auto child = ::fork();
    if (child == 0) {
      for (unsigned turn = 0; turn < delay; ++turn) ::getppid();
      commit(done, path, left);
      ::_exit(0);
    }
    const auto code = [&] {
      const auto error = support::caught<tp::storage_error>([&] { guard.check(); });
      return error ? error->code() : std::error_code{};
    };
    std::int64_t early{};
    std::error_code early_code;
    int status{};
    ::pid_t ended{};
    do {
      early = tp::sum(t);
      early_code = code();
      ended = ::waitpid(child, &status, WNOHANG);
    } while (ended == 0 && !early_code);
    if (ended == 0) ::waitpid(child, &status, 0);
    REQUIRE(status == 0);
    const auto late = tp::sum(t);
    const auto late_code = code();

    INFO("round " << round << ", deed " << static_cast<int>(done) << ", " << left << " bytes left");
    const std::error_code truncated = tp::storage_errc::truncated;
    const std::error_code none;
    CHECK((early == nbytes || early_code == truncated));
    CHECK((!early_code || loses_bytes(done)));
    CHECK(late_code == (loses_bytes(done) ? truncated : none));
    CHECK((late == nbytes) == !loses_bytes(done));
    losses += late_code ? 1 : 0;
    std::filesystem::remove(path);
  }
  CHECK(losses > rounds / 4);
}
