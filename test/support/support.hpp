#pragma once
// What the tests need of the system; the library's own tests must not use the library for it.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace support {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

/// A folder below TMPDIR that goes with this object.
class temporary_folder {
 public:
  temporary_folder() {
    auto name = (std::filesystem::temp_directory_path() / "tensorplay-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Names of all files, hidden ones too.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator{path_}) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::filesystem::path path_;
};

/// What a call throws, if it throws an Error.
template <class Error, class Call>
std::optional<Error> caught(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

using bytes = std::vector<std::uint8_t>;

inline void write_bytes(const std::filesystem::path& path, const bytes& content) {
  std::ofstream out{path, std::ios::binary};
  out.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
}

inline bytes read_bytes(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

template <class T>
void write_values(const std::filesystem::path& path, std::initializer_list<T> values) {
  std::ofstream out{path, std::ios::binary};
  out.write(reinterpret_cast<const char*>(values.begin()), static_cast<std::streamsize>(values.size() * sizeof(T)));
}

template <class T>
std::vector<T> read_values(const std::filesystem::path& path) {
  const auto content = read_bytes(path);
  std::vector<T> values(content.size() / sizeof(T));
  std::copy_n(content.begin(), values.size() * sizeof(T), reinterpret_cast<std::uint8_t*>(values.data()));
  return values;
}

/// Makes a file of this size that takes no space.
inline void write_sparse(const std::filesystem::path& path, std::int64_t nbytes) {
  write_bytes(path, {});
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(nbytes));
}

inline std::int64_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, std::filesystem::directory_iterator{});
}

/// Lines of /proc/self/maps that name a path below the folder.
inline std::int64_t mappings_below(const std::filesystem::path& folder) {
  std::ifstream maps{"/proc/self/maps"};
  std::int64_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find(folder.string()) != line.npos ? 1 : 0;
  return count;
}

/// Bytes of this process in memory.
inline std::int64_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::int64_t total{};
  std::int64_t resident{};
  statm >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

/// A line of this process's smaps_rollup: "Anonymous", "Private_Dirty" and so on.
inline std::int64_t memory_bytes(const std::string& kind) {
  std::ifstream lines{"/proc/self/smaps_rollup"};
  for (std::string word; lines >> word;) {
    std::int64_t kibibytes{};
    if (word == kind + ':' && lines >> kibibytes) return kibibytes * 1024;
  }
  return -1;
}

inline std::int64_t allocated_bytes(const std::filesystem::path& path) {
  struct ::stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_blocks * 512 : -1;
}

inline ::mode_t mode_of(const std::filesystem::path& path) {
  struct ::stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

/// Takes a file's pages out of the system's cache, its content saved first.
inline void drop_from_cache(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDWR);
  if (::fsync(file) != 0 || ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0) std::abort();
  ::close(file);
}

/// Runs a function in a child process and says how it ended: its exit code, or 1000 and the signal that killed it.
template <class Function>
int in_child(Function function) {
  const auto child = ::fork();
  if (child == 0) ::_exit(function());
  int status{};
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// Gives up root's rights, if this process has them.
inline bool become_nobody() { return ::getuid() != 0 || (::setgid(65534) == 0 && ::setuid(65534) == 0); }

/// A file system of its own, where this process may mount one.
class mounted {
 public:
  mounted(const char* type, const char* options)
      : is_mounted_{::mount("none", folder_.path().c_str(), type, MS_NOSUID | MS_NODEV, options) == 0} {}
  mounted(const mounted&) = delete;
  mounted& operator=(const mounted&) = delete;
  ~mounted() {
    if (is_mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }

  explicit operator bool() const { return is_mounted_; }
  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  std::vector<std::string> names() const { return folder_.names(); }

 private:
  temporary_folder folder_;
  bool is_mounted_;
};

}  // namespace support
