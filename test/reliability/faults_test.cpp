// Every system call of every public function fails in turn, by each errno that the system may give. The table that is printed says
// what was injected, and how often the library reported it or did without.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "shim.hpp"
#include "support.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

using content = std::optional<support::bytes>;  // nothing: there is no file
using action = std::function<void()>;

const support::bytes old_bytes(9'000, 1);
const support::bytes large_bytes(300'000, 1);  // what is replaced through the file

/// A use of the library on a file f.
struct scenario {
  const char* name;
  content before;
  content after;
  std::function<action(const std::filesystem::path&)> prepare;  // gives what is done under faults
};

support::bytes joined(support::bytes first, const support::bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

auto mapping(std::int64_t nbytes, tp::map_options options) {
  return [=](const std::filesystem::path& f) -> action { return [=] { tp::map_file(f, nbytes, options); }; };
}

auto saving(tp::replacement_options options) {
  return [=](const std::filesystem::path& f) -> action { return [=] { tp::full<std::uint8_t>({3'000}, 2).tofile(f, options); }; };
}

/// A use of a tensor that maps f already.
template <class Use>
auto using_mapped(bool shared, Use use) {
  return [=](const std::filesystem::path& f) -> action {
    return [=, t = tp::from_file<std::uint8_t>(f, shared, 9'000)] { use(t, f); };
  };
}

std::vector<scenario> scenarios() {
  const support::bytes saved(3'000, 2);
  const auto grown = joined(old_bytes, support::bytes(11'000, 0));
  const support::bytes zeros(20'000, 0);
  const auto shared = tp::access::read_write;
  return {
      {"map privately", old_bytes, old_bytes, mapping(9'000, {})},
      {"map for reading", old_bytes, old_bytes, mapping(5'000, {.mode = tp::access::read_only, .offset_bytes = 77})},
      {"map shared", old_bytes, old_bytes, mapping(9'000, {.mode = shared, .create = true})},
      {"extend", old_bytes, grown, mapping(20'000, {.mode = shared, .create = true})},
      {"extend sparsely", old_bytes, grown, mapping(20'000, {.mode = shared, .create = true, .sparse = true})},
      {"create", {}, zeros, mapping(20'000, {.mode = shared, .create = true})},
      {"create sparsely", {}, zeros, mapping(20'000, {.mode = shared, .create = true, .sparse = true})},
      {"from_file of all", old_bytes, old_bytes,
       [](const std::filesystem::path& f) -> action { return [=] { tp::from_file<std::uint8_t>(f, false, tp::whole_file); }; }},
      {"from_file at run time", old_bytes, old_bytes,
       [](const std::filesystem::path& f) -> action { return [=] { tp::from_file(f, true, {-1, 10}, {.dtype = tp::uint8}); }; }},
      {"load", old_bytes, old_bytes,
       [](const std::filesystem::path& f) -> action { return [=] { tp::load<std::uint8_t>(f, tp::whole_file); }; }},
      {"tofile, new", {}, saved, saving({})},
      {"tofile, not durable", {}, saved, saving({.durable = false})},
      {"tofile, in place of", old_bytes, saved, saving({})},
      {"tofile, not over", {}, saved, saving({.overwrite = false})},
      {"tofile, appended", old_bytes, joined(old_bytes, saved), saving({.append = true})},
      {"tofile through a link", old_bytes, saved,
       [](const std::filesystem::path& f) -> action {
         std::filesystem::rename(f, f.parent_path() / "target");
         std::filesystem::create_symlink("target", f);
         return [=] { tp::full<std::uint8_t>({3'000}, 2).tofile(f); };
       }},
      {"tofile of a view", old_bytes, saved,
       [](const std::filesystem::path& f) -> action {
         return [=] { tp::full<std::uint8_t>({3'000, 2}, 2).select(1, 0).tofile(f); };
       }},
      {"tofile onto itself", old_bytes, old_bytes, using_mapped(true, [](const auto& t, auto f) { t.tofile(f); })},
      {"atomic_update", old_bytes, saved,
       [](const std::filesystem::path& f) -> action {
         return [=] { tp::atomic_update<std::uint8_t>(f, 3'000, [](auto& t) { t.fill_(2); }); };
       }},
      {"atomic_update, given up", old_bytes, old_bytes,
       [](const std::filesystem::path& f) -> action {
         return [=] {
           try {
             tp::atomic_update<std::uint8_t>(f, 3'000, [](auto&) { throw std::runtime_error{"given up"}; });
           } catch (const std::runtime_error& error) {
             if (std::string{"given up"} != error.what()) throw;
           }
         };
       }},
      {"fill_", large_bytes, support::bytes(large_bytes.size(), 2),
       [](const std::filesystem::path& f) -> action {
         return [t = tp::from_file<std::uint8_t>(f, true, tp::whole_file)] { t.fill_(2); };
       }},
      {"copy_", large_bytes, support::bytes(large_bytes.size(), 2),
       [](const std::filesystem::path& f) -> action {
         const auto t = tp::from_file<std::uint8_t>(f, true, tp::whole_file);
         return [t, source = tp::full<std::uint8_t>({t.numel()}, 2)] { t.copy_(source); };
       }},
      {"flush", old_bytes, old_bytes, using_mapped(true, [](const auto& t, auto&) { t.slice(0, 5'000).flush(); })},
      {"advise", old_bytes, old_bytes,
       using_mapped(true, [](const auto& t, auto&) { t.storage().advise(tp::advice::sequential); })},
      {"verify, loading", old_bytes, old_bytes, using_mapped(false, [](const auto& t, auto&) { tp::verify(t); })},
      {"verify", old_bytes, old_bytes, using_mapped(true, [](const auto& t, auto&) { tp::verify(t, {.load = false}); })},
      {"is_stale", old_bytes, old_bytes, using_mapped(true, [](const auto& t, auto&) { static_cast<void>(t.is_stale()); })},
      {"read_checked", old_bytes, old_bytes,
       using_mapped(true,
                    [](const auto& t, auto&) {
                      support::bytes to(t.size());
                      t.read_checked(std::span{to});
                    })},
      {"fault_guard", old_bytes, old_bytes, using_mapped(false, [](const auto& t, auto&) { tp::fault_guard{t}.commit(); })},
  };
}

/// What the system may say of a call.
const std::map<std::string, std::vector<int>> plausible{
    {"close", {EIO, EDQUOT}},
    {"faccessat", {EACCES, EROFS, EIO}},
    {"fallocate", {ENOSPC, EDQUOT, EFBIG, EIO, EPERM, EOPNOTSUPP}},
    {"fchmod", {EPERM, EIO, EROFS}},
    {"fchown", {EPERM, EIO}},
    {"flock", {ENOLCK, EOPNOTSUPP}},
    {"fstatfs", {EIO, ENOSYS}},
    {"fstat", {EIO, ENOMEM}},
    {"fsync", {EIO, ENOSPC, EDQUOT}},
    {"ftruncate", {EIO, EFBIG, EPERM}},
    {"getrlimit", {EPERM}},
    {"link", {EIO, EMLINK, EPERM, ENOSPC}},
    {"lstat", {EIO, EACCES}},
    {"madvise", {ENOMEM, EIO}},
    {"mmap", {ENOMEM, EAGAIN, ENODEV, EACCES}},
    {"msync", {EIO, ENOSPC, EDQUOT}},
    {"munmap", {ENOMEM}},
    {"open", {EACCES, EMFILE, ENFILE, EIO, ENOMEM, ENOSPC, EROFS, ELOOP}},
    {"pread", {EIO, EISDIR}},
    {"pwritev", {ENOSPC, EDQUOT, EIO, EPERM, EFAULT}},
    {"readlink", {EIO, EACCES}},
    {"rename", {EACCES, EIO, ENOSPC, EROFS}},
    {"renameat2", {EACCES, EIO, ENOSPC, ENOSYS}},
    {"sendfile", {EIO, ENOMEM, ENOSPC}},
    {"stat", {EACCES, EIO, ENOMEM}},
    {"unlink", {EIO, EACCES}},
    {"write", {ENOSPC, EDQUOT, EIO, EFBIG}},
};

/// Calls that the library can do without: locks that a file system lacks, owners that may not be given, what is only looked at again.
/// All others must be reported.
bool may_do_without(const std::string& call, int error) {
  static const std::set<std::string> any{"close",     "fchown", "flock", "fstat", "fstatfs",
                                         "getrlimit", "munmap", "open",  "stat",  "unlink"};
  if (call == "fallocate") return error == EOPNOTSUPP;
  if (call == "pwritev") return error == EPERM || error == EFAULT;
  if (call == "renameat2") return error == ENOSYS;
  return any.contains(call);
}

/// A folder with the file of a scenario, and what the process holds at the start.
class stage {
 public:
  explicit stage(const scenario& played) {
    if (played.before) support::write_bytes(file(), *played.before);
    run_ = played.prepare(file());
    files_ = folder_.names();
    descriptors_ = support::open_descriptors();
    mappings_ = support::mappings_below(folder_.path());
  }

  std::filesystem::path file() const { return folder_ / "f"; }
  void run() const { run_(); }
  bool is(const content& expected) const {
    if (!std::filesystem::exists(file())) return !expected;
    return expected && support::read_bytes(file()) == *expected;
  }

  /// Files that are neither f nor were there before.
  std::ptrdiff_t more_files() const {
    return std::ranges::count_if(folder_.names(),
                                 [&](const auto& name) { return name != "f" && std::ranges::count(files_, name) == 0; });
  }
  std::int64_t more_descriptors() const { return support::open_descriptors() - descriptors_; }
  std::int64_t more_mappings() const { return support::mappings_below(folder_.path()) - mappings_; }

 private:
  support::temporary_folder folder_;
  action run_;
  std::vector<std::string> files_;
  std::int64_t descriptors_;
  std::int64_t mappings_;
};

struct counts {
  int reported = 0;
  int done_without = 0;
};

/// Plays a scenario with one failing call and says what is wrong with the outcome; nothing if all is well.
std::string play(const scenario& played, int number, const std::string& call, int error, counts& counted) {
  const stage here{played};
  std::optional<tp::storage_error> refused;
  std::string other;
  shim::fail(number, error);
  try {
    here.run();
  } catch (const tp::storage_error& thrown) {
    refused = thrown;
  } catch (const std::exception& thrown) {
    other = thrown.what();
  }
  shim::stop();

  if (!other.empty()) return "threw " + other;
  if (here.more_descriptors() != 0) return "left a descriptor";
  if (here.more_mappings() != (call == "munmap" ? 1 : 0)) return "left a mapping";
  if (here.more_files() > (call == "unlink" ? 1 : 0)) return "left a temporary file";
  if (!refused) {
    ++counted.done_without;
    if (!may_do_without(call, error)) return "said nothing";
    return here.is(played.after) ? "" : "said nothing, and the file is not as it should be";
  }
  ++counted.reported;
  if (refused->code() != std::error_code{error, std::system_category()}) return "has another code: " + refused->code().message();
  if (refused->path() != here.file()) return "has another path: " + refused->path().string();
  const bool came_late = refused->operation() == "sync the folder of";
  return here.is(came_late ? played.after : played.before) ? "" : "changed the file";
}

}  // namespace

TEST_CASE("every system call that fails is reported, or done without, and leaves nothing behind", "[faults]") {
  std::map<std::string, counts> table;
  int total = 0;
  for (const bool lacking : {false, true}) {
    shim::lack(lacking);
    for (const auto& played : scenarios()) {
      const auto calls = [&] {
        const stage here{played};
        shim::count();
        here.run();
        auto made = shim::stop();
        CHECK(here.is(played.after));
        return made;
      }();
      CHECK_FALSE(calls.empty());
      for (std::size_t number = 0; number < calls.size(); ++number) {
        const auto& call = calls[number];
        REQUIRE((plausible.contains(call) ? "" : call) == std::string{});
        for (const int error : plausible.at(call)) {
          ++total;
          const auto wrong = play(played, static_cast<int>(number), call, error, table[call]);
          if (!wrong.empty()) {
            FAIL_CHECK(played.name << (lacking ? " (plain file system)" : "") << ", call " << number << ", " << call << ", "
                                   << std::system_category().message(error) << ": " << wrong);
          }
        }
      }
    }
  }
  shim::lack(false);
  std::printf("%-10s %9s %13s\n", "call", "reported", "done without");
  for (const auto& [call, counted] : table) std::printf("%-10s %9d %13d\n", call.c_str(), counted.reported, counted.done_without);
  std::printf("%d faults injected\n", total);
  for (const auto& [call, errors] : plausible) {
    INFO(call << " was never called");
    CHECK(table.contains(call));
  }
}

TEST_CASE("a storm of signals changes nothing", "[faults]") {
  for (const auto& played : scenarios()) {
    INFO(played.name);
    const stage here{played};
    shim::interrupt(5);
    CHECK_NOTHROW(here.run());
    shim::stop();
    CHECK(here.is(played.after));
    CHECK(here.more_descriptors() == 0);
    CHECK(here.more_files() == 0);
  }
}

TEST_CASE("short writes change nothing", "[faults]") {
  for (const auto& played : scenarios()) {
    INFO(played.name);
    const stage here{played};
    shim::shorten();
    CHECK_NOTHROW(here.run());
    shim::stop();
    CHECK(here.is(played.after));
    CHECK(here.more_files() == 0);
  }
}

TEST_CASE("verify compares sizes where the kernel cannot load pages", "[faults]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", support::bytes(9'000, 1));
  const auto bytes = tp::map_file(folder / "f", 9'000);
  const auto verify = [&] {
    shim::count();
    tp::verify(bytes);
    const auto calls = shim::stop();
    for (std::size_t number = 0; number < calls.size(); ++number) {
      if (calls[number] == "madvise") shim::fail(static_cast<int>(number), EINVAL);
    }
    auto error = support::caught<tp::storage_error>([&] { tp::verify(bytes); });
    shim::stop();
    return error;
  };
  CHECK_FALSE(verify());
  std::filesystem::rename(folder / "f", folder / "g");
  CHECK(verify().value().code() == std::errc::operation_not_supported);
}

TEST_CASE("flush of a view hands over the pages that it spans and no others", "[faults]") {
  const support::temporary_folder folder;
  const auto page = ::sysconf(_SC_PAGESIZE);
  const auto t = tp::from_file<std::uint8_t, 2>(folder / "f", true, {8, 4096});
  const auto flushed = [&](auto flush) {
    shim::count();
    flush();
    shim::stop();
    return shim::last_range();
  };
  const auto* first = reinterpret_cast<const char*>(t.data());
  CHECK(flushed([&] { t.flush(); }) == std::pair{first, std::size_t{8 * 4096}});
  if (page != 4096) return;
  CHECK(flushed([&] { t.row(3).flush(); }) == std::pair{first + 3 * page, std::size_t{4096}});
  CHECK(flushed([&] { t.select(1, 7).slice(0, 2, 4).flush(); }) == std::pair{first + 2 * page, std::size_t{2 * 4096}});
  CHECK(flushed([&] { t.slice(1, 4000).row(5).slice(0, 0, 10).flush(); }) == std::pair{first + 5 * page, std::size_t{4096}});
}
