#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <sys/mman.h>

#include "support.hpp"

import tensorplay.storage;

namespace tp = tensorplay;

namespace {

const std::int64_t page = ::sysconf(_SC_PAGESIZE);

struct ones {
  explicit ones(std::int64_t pages, tp::map_options options = {.mode = tp::access::copy_on_write}) {
    support::write_bytes(path, support::bytes(static_cast<std::size_t>(pages * page + options.offset_bytes), 1));
    bytes = tp::map_file(path, pages * page, options);
  }
  void truncate(std::int64_t nbytes) const { std::filesystem::resize_file(path, static_cast<std::uintmax_t>(nbytes)); }

  support::temporary_folder folder;
  std::filesystem::path path = folder / "f";
  tp::storage bytes;
};

std::int64_t sum(const tp::storage& bytes) {
  const std::span all{bytes.data(), static_cast<std::size_t>(bytes.nbytes())};
  return std::accumulate(all.begin(), all.end(), std::int64_t{0}, [](auto so_far, auto byte) { return so_far + int(byte); });
}

tp::storage_error error_of(auto call) { return support::caught<tp::storage_error>(call).value(); }

struct ::sigaction bus_action() {
  struct ::sigaction current{};
  ::sigaction(SIGBUS, nullptr, &current);
  return current;
}

void set_bus_handler(void (*handler)(int, ::siginfo_t*, void*), int flags = 0) {
  struct ::sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = flags | SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

/// A page of a mapping that is not the library's and that no file has.
volatile char* foreign_page() {
  const support::temporary_folder folder;
  support::write_bytes(folder / "foreign", support::bytes(static_cast<std::size_t>(page), 1));
  const int file = ::open((folder / "foreign").c_str(), O_RDWR);
  auto* mapped = ::mmap(nullptr, static_cast<std::size_t>(page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (::ftruncate(file, 0) != 0 || mapped == MAP_FAILED) std::abort();
  ::close(file);
  return static_cast<volatile char*>(mapped);
}

/// How a child ends that has the system's own handler of SIGBUS at first.
template <class Function>
int in_plain_child(Function function) {
  return support::in_child([&] {
    ::signal(SIGBUS, SIG_DFL);
    return function();
  });
}

int exhaust_stack(int depth) {
  volatile char frame[4096] = {};
  return frame[depth % 4096] + (depth == 0 ? 0 : exhaust_stack(depth + 1)) + frame[0];
}

constexpr int killed_by_bus_error = 1000 + SIGBUS;

}  // namespace

TEST_CASE("a guard finds nothing where nothing was lost", "[guard]") {
  const ones file{4};
  tp::fault_guard guard{file.bytes};
  CHECK(sum(file.bytes) == 4 * page);
  CHECK_NOTHROW(guard.check());
  CHECK_NOTHROW(guard.commit());
  CHECK_NOTHROW(guard.commit());
  CHECK_FALSE(file.bytes.is_lost());
}

TEST_CASE("under a guard, bytes that the file no longer has are zeros, and check says which", "[guard]") {
  const auto mode = GENERATE(tp::access::read_only, tp::access::copy_on_write, tp::access::read_write);
  const bool shared = mode != tp::access::copy_on_write;
  const ones file{4, {.mode = mode, .shared = shared}};
  const tp::fault_guard guard{file.bytes};
  file.truncate(page);
  CHECK(sum(file.bytes) == page);
  const auto error = error_of([&] { guard.check(); });
  CHECK(error.code() == tp::storage_errc::truncated);
  CHECK(error.path() == file.path);
  CHECK(error.operation() == "guard");
  CHECK(error.wanted_bytes() == 4 * page);
  CHECK(error.found_bytes() == page);
  CHECK(error.first_bad_offset() == page);
  CHECK_THAT(error.what(),
             Catch::Matchers::ContainsSubstring("wanted " + std::to_string(4 * page) + " bytes, found " + std::to_string(page) +
                                                " bytes, the first bad one at offset " + std::to_string(page)));
  CHECK(file.bytes.is_lost());
}

TEST_CASE("under a guard, stores to bytes that the file no longer has go nowhere", "[guard]") {
  const ones file{4, {.mode = tp::access::read_write}};
  const tp::fault_guard guard{file.bytes};
  file.truncate(page);
  for (std::int64_t at = 0; at < 4 * page; at += page) file.bytes.mutable_data()[at] = std::byte{7};
  CHECK(error_of([&] { guard.check(); }).code() == tp::storage_errc::truncated);
  auto content = support::bytes(static_cast<std::size_t>(page), 1);
  content[0] = 7;
  CHECK(support::read_bytes(file.path) == content);
}

TEST_CASE("a file that was cut within its last page is reported, though no access is a fault", "[guard]") {
  const ones file{2};
  const tp::fault_guard guard{file.bytes};
  file.truncate(2 * page - 10);
  CHECK(sum(file.bytes) == 2 * page - 10);
  const auto error = error_of([&] { guard.check(); });
  CHECK(error.code() == tp::storage_errc::truncated);
  CHECK(error.found_bytes() == 2 * page - 10);
  CHECK(error.first_bad_offset() == 2 * page - 10);
}

TEST_CASE("a loss is reported when the file has lost its name meanwhile", "[guard]") {
  const ones file{2};
  SECTION("after the guard was made") {
    const tp::fault_guard guard{file.bytes};
    file.truncate(2 * page - 10);
    std::filesystem::remove(file.path);
    CHECK(error_of([&] { guard.check(); }).found_bytes() == 2 * page - 10);
  }
  SECTION("before") {
    const int descriptor = ::open(file.path.c_str(), O_RDWR);
    support::write_bytes(file.folder / "other", {1});
    std::filesystem::rename(file.folder / "other", file.path);
    const tp::fault_guard guard{file.bytes};
    CHECK(::ftruncate(descriptor, page) == 0);
    ::close(descriptor);
    CHECK(sum(file.bytes) == page);
    const auto error = error_of([&] { guard.check(); });
    CHECK(error.code() == tp::storage_errc::truncated);
    CHECK(error.first_bad_offset() == page);
  }
}

TEST_CASE("a file that is unlinked, replaced or extended under a guard has lost nothing", "[guard]") {
  const ones file{2};
  const tp::fault_guard guard{file.bytes};
  SECTION("extended") { file.truncate(20 * page); }
  SECTION("unlinked") { std::filesystem::remove(file.path); }
  SECTION("replaced") {
    support::write_bytes(file.folder / "other", {1});
    std::filesystem::rename(file.folder / "other", file.path);
  }
  CHECK(sum(file.bytes) == 2 * page);
  CHECK_NOTHROW(guard.check());
}

TEST_CASE("a file that was truncated and extended again shows the file's zeros, and has lost nothing more", "[guard]") {
  const ones file{2};
  const tp::fault_guard guard{file.bytes};
  file.truncate(0);
  file.truncate(2 * page);
  CHECK(sum(file.bytes) == 0);
  CHECK_NOTHROW(guard.check());
}

TEST_CASE("offsets of a loss count from the start of the storage, sizes from that of the file", "[guard]") {
  const ones file{4, {.offset_bytes = 100}};
  const tp::fault_guard guard{file.bytes};
  file.truncate(2 * page);
  CHECK(sum(file.bytes) == 2 * page - 100);
  const auto error = error_of([&] { guard.check(); });
  CHECK(error.wanted_bytes() == 4 * page + 100);
  CHECK(error.found_bytes() == 2 * page);
  CHECK(error.first_bad_offset() == 2 * page - 100);
}

TEST_CASE("a file that was cut before the storage's first byte is lost from offset zero", "[guard]") {
  const ones file{2, {.offset_bytes = 3 * page + 5}};
  const tp::fault_guard guard{file.bytes};
  file.truncate(10);
  CHECK(sum(file.bytes) == 0);
  const auto error = error_of([&] { guard.check(); });
  CHECK(error.found_bytes() == 10);
  CHECK(error.first_bad_offset() == 0);
}

TEST_CASE("a range before the loss passes the check of a range", "[guard]") {
  const ones file{4};
  const tp::fault_guard guard{file.bytes};
  file.truncate(page);
  CHECK(sum(file.bytes) == page);
  CHECK_NOTHROW(guard.check(file.bytes, 0, page));
  CHECK_NOTHROW(guard.check(file.bytes, 4 * page, 0));
  CHECK_THROWS_AS(guard.check(file.bytes, 0, page + 1), tp::storage_error);
  CHECK_THROWS_AS(guard.check(file.bytes, 1, 4 * page), std::invalid_argument);
}

TEST_CASE("what was lost once stays lost, and says so where it can be checked", "[guard]") {
  const ones file{4, {.mode = tp::access::read_write}};
  {
    const tp::fault_guard guard{file.bytes};
    file.truncate(page);
    CHECK(sum(file.bytes) == page);
  }
  file.truncate(4 * page);
  CHECK(sum(file.bytes) == page);  // no guard and no signal: the zeros are this process's
  CHECK(file.bytes.is_lost());
  std::byte one[1];
  const auto truncated = tp::storage_errc::truncated;
  CHECK(error_of([&] { file.bytes.flush(); }).code() == truncated);
  CHECK(error_of([&] { file.bytes.advise(tp::advice::will_need); }).code() == truncated);
  CHECK(error_of([&] { file.bytes.require_intact("use"); }).code() == truncated);
  CHECK(error_of([&] { tp::verify(file.bytes); }).code() == truncated);
  CHECK(error_of([&] { tp::read_checked(file.bytes, page, one); }).code() == truncated);
  CHECK(error_of([&] { tp::fault_guard{file.bytes}.check(); }).code() == truncated);
  CHECK_NOTHROW(tp::read_checked(file.bytes, 0, one));
}

TEST_CASE("commit reports a loss and the guard goes on", "[guard]") {
  const ones file{4};
  tp::fault_guard guard{file.bytes};
  file.truncate(2 * page);
  CHECK_THROWS_AS(guard.commit(), tp::storage_error);
  file.truncate(0);
  CHECK(sum(file.bytes) == 0);
  CHECK(error_of([&] { guard.commit(); }).found_bytes() == 0);
}

TEST_CASE("guards nest: the inner one's end leaves the outer one at work", "[guard]") {
  const ones file{4};
  const auto before = bus_action();
  {
    const tp::fault_guard outer{file.bytes};
    {
      const tp::fault_guard inner{file.bytes};
      file.truncate(2 * page);
      CHECK(sum(file.bytes) == 2 * page);
      CHECK_THROWS_AS(inner.check(), tp::storage_error);
    }
    file.truncate(0);
    CHECK(sum(file.bytes) == 0);
    CHECK(error_of([&] { outer.check(); }).first_bad_offset() == 0);
  }
  CHECK(bus_action().sa_handler == before.sa_handler);
}

TEST_CASE("one guard covers several storages, and says which one has lost bytes", "[guard]") {
  const ones a{2};
  const ones b{2};
  const std::vector<tp::storage> list{a.bytes, b.bytes, tp::storage{}};
  const auto check = [&](const tp::fault_guard& guard) {
    b.truncate(page);
    CHECK(sum(a.bytes) + sum(b.bytes) == 3 * page);
    CHECK(error_of([&] { guard.check(); }).path() == b.path);
    CHECK_NOTHROW(guard.check(a.bytes, 0, 2 * page));
  };
  SECTION("by name") { check(tp::fault_guard{a.bytes, b.bytes}); }
  SECTION("as a list") { check(tp::fault_guard{std::span{list}}); }
}

TEST_CASE("heap memory and empty storages need no guard and no handler", "[guard]") {
  const auto before = bus_action();
  tp::fault_guard guard{tp::storage{}, tp::allocate(100)};
  CHECK(bus_action().sa_handler == before.sa_handler);
  CHECK_NOTHROW(guard.commit());
}

TEST_CASE("the handler is there while a guard lives, and then the former one again, flags and mask", "[guard]") {
  const ones file{1};
  const auto saved = bus_action();
  struct ::sigaction mine{};
  mine.sa_handler = [](int) {};
  mine.sa_flags = SA_NODEFER;
  ::sigemptyset(&mine.sa_mask);
  ::sigaddset(&mine.sa_mask, SIGUSR2);
  ::sigaction(SIGBUS, &mine, nullptr);
  {
    tp::fault_guard guard{file.bytes};
    CHECK(bus_action().sa_handler != mine.sa_handler);
    const tp::fault_guard other{file.bytes};
    guard.commit();
    CHECK(bus_action().sa_handler != mine.sa_handler);
  }
  const auto after = bus_action();
  CHECK(after.sa_handler == mine.sa_handler);
  CHECK((after.sa_flags & SA_NODEFER) != 0);
  CHECK(::sigismember(&after.sa_mask, SIGUSR2) == 1);
  ::sigaction(SIGBUS, &saved, nullptr);
}

TEST_CASE("a guard leaves no descriptor and no mapping behind", "[guard]") {
  const ones file{1};
  const auto descriptors = support::open_descriptors();
  const auto mappings = support::mappings_below(file.folder.path());
  for (int round = 0; round < 1000; ++round) tp::fault_guard{file.bytes}.check();
  CHECK(support::open_descriptors() == descriptors);
  CHECK(support::mappings_below(file.folder.path()) == mappings);
}

TEST_CASE("threads that guard and read one truncated file all see the loss", "[guard]") {
  for (int round = 0; round < 20; ++round) {
    const ones file{16};
    std::vector<std::thread> threads;
    std::vector<int> reported(4);
    file.truncate(5 * page);
    for (std::size_t thread = 0; thread < reported.size(); ++thread) {
      threads.emplace_back([&, thread] {
        const tp::fault_guard guard{file.bytes};
        const auto total = sum(file.bytes);
        const auto error = error_of([&] { guard.check(); });
        reported[thread] = total == 5 * page && error.found_bytes() == 5 * page ? 1 : 0;
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(reported == std::vector<int>(4, 1));
  }
}

TEST_CASE("threads make and drop guards while others read", "[guard]") {
  const ones file{4};
  file.truncate(2 * page);
  const tp::fault_guard outer{file.bytes};
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (std::size_t thread = 0; thread < right.size(); ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 100; ++round) {
        const ones own{2};
        own.truncate(page);
        const tp::fault_guard guard{own.bytes, file.bytes};
        right[thread] += sum(own.bytes) == page && sum(file.bytes) == 2 * page ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 100));
}

TEST_CASE("a thread that blocks SIGBUS is served, and blocks it again at the end", "[guard]") {
  const ones file{2};
  file.truncate(page);
  bool was_right = false;
  std::thread{[&] {
    ::sigset_t all;
    ::sigset_t now;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    {
      const tp::fault_guard guard{file.bytes};
      was_right = sum(file.bytes) == page;
    }
    ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
    was_right = was_right && ::sigismember(&now, SIGBUS) == 1;
  }}.join();
  CHECK(was_right);
}

TEST_CASE("a forked child is guarded as its parent is", "[guard]") {
  const ones file{2};
  const tp::fault_guard guard{file.bytes};
  CHECK(support::in_child([&] {
          file.truncate(page);
          const tp::fault_guard own{file.bytes};
          const bool is_lost = sum(file.bytes) == page && error_of([&] { guard.check(); }).found_bytes() == page;
          return is_lost ? 0 : 1;
        }) == 0);
}

TEST_CASE("a SIGBUS of another mapping kills as it would without a guard", "[guard]") {
  const ones file{1};
  CHECK(in_plain_child([&] {
          const tp::fault_guard guard{file.bytes};
          return int{*foreign_page()};
        }) == killed_by_bus_error);
  CHECK(in_plain_child([&] {
          ::signal(SIGBUS, SIG_IGN);  // which faults do not care for
          const tp::fault_guard guard{file.bytes};
          return int{*foreign_page()};
        }) == killed_by_bus_error);
}

TEST_CASE("a SIGBUS that somebody sends does what it would without a guard", "[guard]") {
  const ones file{1};
  CHECK(in_plain_child([&] {
          const tp::fault_guard guard{file.bytes};
          ::raise(SIGBUS);
          return 0;
        }) == killed_by_bus_error);
  CHECK(in_plain_child([&] {
          ::signal(SIGBUS, SIG_IGN);
          const tp::fault_guard guard{file.bytes};
          ::raise(SIGBUS);
          return 0;
        }) == 0);
}

TEST_CASE("a handler that was there before gets what is not ours, with address and mask", "[guard]") {
  const ones file{2};
  CHECK(in_plain_child([&] {
          static volatile char* expected = foreign_page();
          struct ::sigaction mine{};
          mine.sa_sigaction = [](int, ::siginfo_t* info, void* context) {
            ::sigset_t now;
            ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
            ::_exit(info->si_addr == expected && context != nullptr && ::sigismember(&now, SIGUSR2) == 1 ? 42 : 1);
          };
          mine.sa_flags = SA_SIGINFO;
          ::sigaddset(&mine.sa_mask, SIGUSR2);
          ::sigaction(SIGBUS, &mine, nullptr);
          const tp::fault_guard guard{file.bytes};
          file.truncate(page);
          return sum(file.bytes) == page ? int{*expected} : 2;
        }) == 42);
}

TEST_CASE("a handler that wanted to be called once is called once", "[guard]") {
  const ones file{1};
  CHECK(in_plain_child([&] {
          static int calls = 0;
          set_bus_handler([](int, ::siginfo_t*, void*) { ++calls; }, SA_RESETHAND);
          {
            const tp::fault_guard guard{file.bytes};
            ::raise(SIGBUS);
          }
          return calls == 1 && bus_action().sa_handler == SIG_DFL ? 0 : 1;
        }) == 0);
}

TEST_CASE("a handler that is put over ours, and calls ours, neither loses faults nor runs for ever", "[guard]") {
  const ones file{4};
  CHECK(in_plain_child([&] {
          static struct ::sigaction below;
          static int calls = 0;
          {
            const tp::fault_guard guard{file.bytes};
            below = bus_action();
            set_bus_handler([](int number, ::siginfo_t* info, void* context) {
              if (++calls > 20) ::_exit(3);  // a circle
              below.sa_sigaction(number, info, context);
            });
            file.truncate(3 * page);
            if (sum(file.bytes) != 3 * page || calls != 1) return 1;
          }
          // theirs stays, though our last guard is gone; the next guard's handler comes over it
          const tp::fault_guard guard{file.bytes};
          file.truncate(2 * page);
          if (sum(file.bytes) != 2 * page || calls != 1) return 2;
          return int{*foreign_page()};
        }) == killed_by_bus_error);
}

TEST_CASE("any number of handlers put over ours is borne", "[guard]") {
  const ones file{1};
  CHECK(in_plain_child([&] {
          static struct ::sigaction below[20];
          static int level = 0;
          for (level = 0; level < 20; ++level) {
            const tp::fault_guard guard{file.bytes};
            below[level] = bus_action();
            set_bus_handler([](int number, ::siginfo_t* info, void* context) {
              if (level-- == 0) ::_exit(3);
              below[level].sa_sigaction(number, info, context);
            });
          }
          const tp::fault_guard guard{file.bytes};
          file.truncate(0);
          return sum(file.bytes) == 0 ? 0 : 1;
        }) == 0);
}

TEST_CASE("a stack overflow under a guard ends as it would without one", "[guard]") {
  const ones file{1};
  CHECK(support::in_child([&] {
          ::signal(SIGBUS, SIG_DFL);
          ::signal(SIGSEGV, SIG_DFL);
          const tp::fault_guard guard{file.bytes};
          return exhaust_stack(1);
        }) == 1000 + SIGSEGV);
}

TEST_CASE("a store to a sparse file on a full disk is an error of the device under a guard", "[guard]") {
  const support::mounted small{"tmpfs", "size=64k"};
  if (!small) SKIP("may not mount a tmpfs here");
  const auto bytes = tp::map_file(small / "f", 64 * page, {.mode = tp::access::read_write, .create = true, .sparse = true});
  const tp::fault_guard guard{bytes};
  for (std::int64_t at = 0; at < 64 * page; at += page) bytes.mutable_data()[at] = std::byte{1};
  const auto error = error_of([&] { guard.check(); });
  CHECK(error.code() == std::errc::io_error);
  CHECK(error.first_bad_offset().value_or(0) >= page);
  CHECK(bytes.is_lost());
}
