module;
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#if !defined(__clang__)
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#endif

module tensorplay.storage:descriptor;

import tensorplay.standard;
import :error;

namespace tensorplay {

/// What the library needs to know of a file.
struct file_facts {
  bool is_regular;
  std::int64_t nbytes;
  std::uint64_t device;
  std::uint64_t inode;
  ::mode_t mode;
  ::uid_t owner;
  ::gid_t group;
  ::timespec modified;

  bool same_file_as(const file_facts& other) const noexcept { return device == other.device && inode == other.inode; }
  bool same_time_as(const file_facts& other) const noexcept {
    return modified.tv_sec == other.modified.tv_sec && modified.tv_nsec == other.modified.tv_nsec;
  }
};

inline std::error_code system_error_code(int number) { return {number, std::system_category()}; }

/// Reports the call that has just failed.
[[noreturn]] inline void throw_errno(std::string_view operation, const std::filesystem::path& path) {
  throw storage_error{system_error_code(errno), operation, path};
}

/// Repeats a system call for as long as signals interrupt it.
template <class Call>
auto retry(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

/// errno of a file system that cannot do what fallocate or fsync asks for.
inline bool is_unsupported(int number) { return number == EOPNOTSUPP || number == EINVAL || number == ENOSYS; }

/// Owns a file descriptor.
class descriptor {
 public:
  descriptor() noexcept = default;
  explicit descriptor(int number) noexcept : number_{number} {}
  descriptor(descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() {
    if (number_ != -1) ::close(number_);
  }

  int number() const noexcept { return number_; }

  /// Gives it away.
  int release() noexcept { return std::exchange(number_, -1); }

  /// Closes it now. Some file systems say only here that what was written is lost; errno is set then.
  bool close() noexcept { return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR; }

 private:
  int number_ = -1;
};

inline file_facts facts_of(const struct ::stat& status) noexcept {
  return {S_ISREG(status.st_mode), static_cast<std::int64_t>(status.st_size),
          status.st_dev,           status.st_ino,
          status.st_mode,          status.st_uid,
          status.st_gid,           status.st_mtim};
}

/// What a path names, links followed; nothing where it names no file.
inline std::optional<file_facts> look_at(const std::filesystem::path& path) {
  struct ::stat status{};
  if (::stat(path.c_str(), &status) == 0) return facts_of(status);
  if (errno == ENOENT) return std::nullopt;
  throw_errno("open", path);
}

/// What an open descriptor stands for; path serves the message.
inline file_facts look_at(int number, const std::filesystem::path& path) {
  struct ::stat status{};
  if (::fstat(number, &status) != 0) throw_errno("open", path);
  return facts_of(status);
}

inline void require_regular(const file_facts& facts, const std::filesystem::path& path) {
  if (!facts.is_regular) throw storage_error{storage_errc::not_a_regular_file, "open", path};
}

/// Opens a descriptor that programs executed later do not inherit.
inline descriptor open_descriptor(const std::filesystem::path& path, int flags, std::string_view operation) {
  descriptor opened{retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC); })};
  if (opened.number() == -1) throw_errno(operation, path);
  return opened;
}

/// Folder of a path, for system calls; "." for a bare name.
inline std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
}

/// The file that a path leads to, however many symbolic links lie between; it need not exist.
inline std::filesystem::path follow_links(const std::filesystem::path& path) {
  constexpr int most_links = 40;  // the kernel's own limit
  auto target = path;
  for (int links = 0; links < most_links; ++links) {
    std::error_code reason;
    auto next = std::filesystem::read_symlink(target, reason);
    if (reason.value() == EINVAL || reason.value() == ENOENT) return target;  // no link
    if (reason) throw storage_error{system_error_code(reason.value()), "open", path};
    target = folder_of(target) / next;
  }
  throw storage_error{system_error_code(ELOOP), "open", path};
}

/// Refuses a size over RLIMIT_FSIZE, which would otherwise be a SIGXFSZ.
inline void require_size_within_limit(std::int64_t nbytes, std::string_view operation, const std::filesystem::path& path) {
  struct ::rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<std::uint64_t>(nbytes) > limit.rlim_cur) {
    throw storage_error{system_error_code(EFBIG), operation, path, nbytes, static_cast<std::int64_t>(limit.rlim_cur)};
  }
}

}  // namespace tensorplay
