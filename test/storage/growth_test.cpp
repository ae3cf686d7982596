#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "support.hpp"

import tensorplay.storage;

namespace tp = tensorplay;

namespace {
constexpr std::int64_t mebibyte = 1 << 20;
constexpr tp::map_options shared{.mode = tp::access::read_write, .create = true};
constexpr tp::map_options shared_sparse{.mode = tp::access::read_write, .create = true, .sparse = true};

std::error_code code_of(auto call) {
  try {
    call();
  } catch (const tp::storage_error& error) {
    return error.code();
  }
  return {};
}
}  // namespace

TEST_CASE("growth reserves disk space", "[growth]") {
  const support::temporary_folder folder;
  tp::map_file(folder / "new", mebibyte, shared);
  CHECK(support::allocated_bytes(folder / "new") >= mebibyte);
  support::write_bytes(folder / "old", {1, 2, 3});
  tp::map_file(folder / "old", mebibyte, shared);
  CHECK(support::allocated_bytes(folder / "old") >= mebibyte);
}

TEST_CASE("sparse growth does not reserve disk space", "[growth]") {
  const support::temporary_folder folder;
  const auto bytes = tp::map_file(folder / "f", mebibyte << 20, shared_sparse);
  CHECK(bytes.nbytes() == mebibyte << 20);
  CHECK(std::filesystem::file_size(folder / "f") == std::uintmax_t{mebibyte << 20});
  CHECK(support::allocated_bytes(folder / "f") < mebibyte);
}

TEST_CASE("a full disk leaves a new file gone and an old one as it was", "[growth]") {
  const support::mounted small{"tmpfs", "size=64k"};
  if (!small) SKIP("may not mount a tmpfs here");
  CHECK(code_of([&] { tp::map_file(small / "new", mebibyte, shared); }) == std::errc::no_space_on_device);
  CHECK(small.names().empty());
  support::write_bytes(small / "old", {1, 2, 3});
  CHECK(code_of([&] { tp::map_file(small / "old", mebibyte, shared); }) == std::errc::no_space_on_device);
  CHECK(support::read_bytes(small / "old") == support::bytes{1, 2, 3});
  // and what was reserved on the way is free again
  support::write_bytes(small / "other", support::bytes(40'000, 1));
  CHECK(support::read_bytes(small / "other").size() == 40'000);
}

TEST_CASE("a full ext4 gives back what was reserved behind the end of the file", "[growth]") {
  const support::temporary_folder folder;
  support::write_sparse(folder / "image", 16 * mebibyte);
  const auto in_folder = "cd '" + folder.path().string() + "' && mkdir disk && ";
  if (std::system((in_folder + "mkfs.ext4 -q -m 0 image && mount -o loop image disk").c_str()) != 0) {
    SKIP("may not mount an ext4 here");
  }
  const auto old = folder / "disk/old";
  support::write_bytes(old, {1, 2, 3});
  const auto before = std::filesystem::space(folder / "disk").available;
  const auto code = code_of([&] { tp::map_file(old, 64 * mebibyte, shared); });
  const auto after = std::filesystem::space(folder / "disk").available;
  const auto content = support::read_bytes(old);
  CHECK(std::system(("umount '" + (folder / "disk").string() + "'").c_str()) == 0);
  CHECK(code == std::errc::no_space_on_device);
  CHECK(content == support::bytes{1, 2, 3});
  CHECK(after + 64 * 1024 >= before);  // a block or two may hold what the file system notes for itself
}

TEST_CASE("a file system without reservation extends plainly", "[growth]") {
  const support::mounted plain{"ramfs", ""};
  if (!plain) SKIP("may not mount a ramfs here");
  tp::map_file(plain / "new", mebibyte, shared).mutable_data()[mebibyte - 1] = std::byte{4};
  CHECK(support::read_bytes(plain / "new").back() == 4);
  support::write_bytes(plain / "old", {1, 2, 3});
  tp::map_file(plain / "old", mebibyte, shared).mutable_data()[mebibyte - 1] = std::byte{5};
  CHECK(support::read_bytes(plain / "old").front() == 1);
  CHECK(support::read_bytes(plain / "old").back() == 5);
}

TEST_CASE("a size over the process's limit is an error, not a signal", "[growth]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "old", {1, 2, 3});
  CHECK(support::in_child([&] {
          const ::rlimit limit{1000, 1000};
          ::setrlimit(RLIMIT_FSIZE, &limit);
          const bool refused_new = code_of([&] { tp::map_file(folder / "new", 2000, shared); }) == std::errc::file_too_large;
          const bool refused_old = code_of([&] { tp::map_file(folder / "old", 2000, shared); }) == std::errc::file_too_large;
          return refused_new && refused_old ? 0 : 1;
        }) == 0);
  CHECK(folder.names() == std::vector<std::string>{"old"});
  CHECK(support::read_bytes(folder / "old") == support::bytes{1, 2, 3});
}

TEST_CASE("a mapping that fails after the space was reserved leaves the old size", "[growth]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "old", {1, 2, 3});
  CHECK(support::in_child([&] {
          const ::rlimit limit{std::uint64_t{1} << 30, std::uint64_t{1} << 30};
          ::setrlimit(RLIMIT_AS, &limit);
          const bool refused_new =
              code_of([&] { tp::map_file(folder / "new", mebibyte << 11, shared_sparse); }) == std::errc::not_enough_memory;
          const bool refused_old =
              code_of([&] { tp::map_file(folder / "old", mebibyte << 11, shared_sparse); }) == std::errc::not_enough_memory;
          return refused_new && refused_old ? 0 : 1;
        }) == 0);
  CHECK(folder.names() == std::vector<std::string>{"old"});
  CHECK(support::read_bytes(folder / "old") == support::bytes{1, 2, 3});
}

TEST_CASE("processes that make and extend one file at once get the largest size and no signal", "[growth]") {
  constexpr int processes = 8;
  const support::temporary_folder folder;
  for (int round = 0; round < 50; ++round) {
    const auto name = folder / ("f" + std::to_string(round));
    std::vector<::pid_t> children;
    for (int process = 1; process <= processes; ++process) {
      const auto child = ::fork();
      if (child == 0) {
        const auto nbytes = process * 4096;
        const auto bytes = tp::map_file(name, nbytes, process % 2 == 0 ? shared : shared_sparse);
        bytes.mutable_data()[nbytes - 1] = static_cast<std::byte>(process);
        ::_exit(bytes.nbytes() == nbytes ? 0 : 1);
      }
      children.push_back(child);
    }
    for (const auto child : children) {
      int status{};
      ::waitpid(child, &status, 0);
      CHECK(status == 0);
    }
    const auto content = support::read_bytes(name);
    REQUIRE(content.size() == processes * 4096);
    for (std::size_t process = 1; process <= processes; ++process) CHECK(content[process * 4096 - 1] == process);
  }
}

TEST_CASE("threads that make and extend one file at once get what they asked for", "[growth]") {
  const support::temporary_folder folder;
  for (int round = 0; round < 20; ++round) {
    const auto name = folder / ("f" + std::to_string(round));
    std::vector<std::thread> threads;
    std::vector<int> right(8);
    for (int thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        const auto nbytes = (thread + 1) * 5000;
        const auto bytes = tp::map_file(name, nbytes, shared);
        bytes.mutable_data()[nbytes - 1] = std::byte{1};
        right[static_cast<std::size_t>(thread)] = bytes.nbytes() == nbytes ? 1 : 0;
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(right == std::vector<int>(8, 1));
    CHECK(std::filesystem::file_size(name) == 40'000);
  }
}

TEST_CASE("a caller who has locked the file can still grow it", "[growth]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {1, 2, 3});
  const int descriptor = ::open((folder / "f").c_str(), O_RDWR);
  struct ::flock whole{};
  whole.l_type = F_WRLCK;
  CHECK(::fcntl(descriptor, F_SETLK, &whole) == 0);
  CHECK(tp::map_file(folder / "f", 10, shared).nbytes() == 10);
  ::close(descriptor);
}

TEST_CASE("a dangling symbolic link is followed to the file that it names", "[growth]") {
  const support::temporary_folder folder;
  std::filesystem::create_symlink("target", folder / "link");
  tp::map_file(folder / "link", 4, shared).mutable_data()[0] = std::byte{9};
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(support::read_bytes(folder / "target") == support::bytes{9, 0, 0, 0});
}

TEST_CASE("a circle of symbolic links is an error", "[growth]") {
  const support::temporary_folder folder;
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  CHECK(code_of([&] { tp::map_file(folder / "a", 4, shared); }) == std::errc::too_many_symbolic_link_levels);
}
