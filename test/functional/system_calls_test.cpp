#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "support.hpp"

namespace {

/// The calls between the two getppid of a program run under strace; nothing where tracing is not allowed.
std::vector<std::string> calls_between_marks(const std::filesystem::path& trace, const std::string& program) {
  const auto command = "strace -qq -o '" + trace.string() + "' " + program + " 2> /dev/null";
  std::vector<std::string> calls;
  if (std::system(command.c_str()) != 0) return calls;
  std::ifstream lines{trace};
  bool between = false;
  for (std::string line; std::getline(lines, line);) {
    const auto name = line.substr(0, line.find('('));
    if (name == "getppid") {
      between = !between;
    } else if (between) {
      calls.push_back(name);
    }
  }
  return calls;
}

}  // namespace

TEST_CASE("a private map costs stat, open, fstat, mmap, close and munmap, however large the file", "[system_calls]") {
  if (support::sanitized) SKIP("a sanitizer makes system calls of its own");
  const support::temporary_folder folder;
  const auto nbytes = GENERATE(std::int64_t{4096}, std::int64_t{1} << 30, std::int64_t{1} << 40);
  support::write_sparse(folder / "f", nbytes);
  const auto calls = calls_between_marks(
      folder / "trace", std::string{std::getenv("OPENS")} + " '" + (folder / "f").string() + "' " + std::to_string(nbytes));
  if (calls.empty()) SKIP("strace is missing or may not trace here");
  const bool newer = calls.front() == "newfstatat";  // what the C library calls for stat and fstat
  const std::string stat = newer ? "newfstatat" : "stat";
  const std::string fstat = calls[2] == "fstat" ? "fstat" : stat;
  CHECK(calls == std::vector<std::string>{stat, "openat", fstat, "mmap", "close", "munmap"});
}
