module;
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>

module tensorplay.storage;

import :descriptor;
import :growth;

namespace tensorplay {
growth_lock::growth_lock(const std::filesystem::path& filename)
    : folder_{retry([&] { return ::open(folder_of(follow_links(filename)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })} {
  retry([&] { return ::flock(folder_.number(), LOCK_EX); });
}

growth_lock::~growth_lock() {
  // Said aloud: a child forked meanwhile holds a copy of the descriptor, and closing ours alone would leave the lock to it.
  ::flock(folder_.number(), LOCK_UN);
}

growth::growth(const descriptor& file, const std::filesystem::path& filename, std::int64_t found_bytes, std::int64_t wanted_bytes,
               bool sparse)
    : file_{file}, filename_{filename}, wanted_bytes_{wanted_bytes} {
  require_size_within_limit(wanted_bytes, "extend", filename);
  if (sparse) return;
  reserved_ =
      retry([&] { return ::fallocate(file.number(), FALLOC_FL_KEEP_SIZE, found_bytes, wanted_bytes - found_bytes); }) == 0;
  if (reserved_ || is_unsupported(errno)) return;
  const auto reason = system_error_code(errno);
  give_back();
  throw storage_error{reason, "extend", filename, wanted_bytes, found_bytes};
}

growth::~growth() {
  if (reserved_) give_back();
}

void growth::commit() {
  // Writing the last byte's block as allocated extends a file and, unlike ftruncate, never shrinks one.
  const auto last_byte = [&] { return ::fallocate(file_.number(), 0, wanted_bytes_ - 1, 1); };
  if (retry(last_byte) != 0) {
    if (!is_unsupported(errno)) throw_errno("extend", filename_);
    if (look_at(file_.number(), filename_).nbytes < wanted_bytes_ &&
        retry([&] { return ::ftruncate(file_.number(), wanted_bytes_); }) != 0) {
      throw_errno("extend", filename_);
    }
  }
  reserved_ = false;
}

void growth::give_back() noexcept {
  // Cutting a file at its own end frees what is reserved behind it. The lock keeps other growers out in between.
  struct ::stat status{};
  if (::fstat(file_.number(), &status) == 0) {
    [[maybe_unused]] const auto ignored = ::ftruncate(file_.number(), status.st_size);
  }
}

}  // namespace tensorplay
