module;
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

module tensorplay.storage;

import :descriptor;
import :temporary;

namespace tensorplay {
namespace {

std::atomic<unsigned> calls{0};

/// Short, so that a name of 255 bytes has a neighbour, and different in every process and call.
std::filesystem::path neighbour_of(const std::filesystem::path& target) {
  return folder_of(target) / (".tensorplay-" + std::to_string(::getpid()) + '-' + std::to_string(calls++));
}

}  // namespace

temporary_file::temporary_file(std::filesystem::path target, ::mode_t mode, const std::filesystem::path& named_by_user)
    : target_{std::move(target)}, named_by_user_{named_by_user} {
  do {  // a process that was killed may have left its file, and its number may be ours now
    path_ = neighbour_of(target_);
    file_ = descriptor{retry([&] { return ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode); })};
  } while (file_.number() == -1 && errno == EEXIST);
  if (file_.number() == -1) throw_errno("create", named_by_user_);
}

temporary_file::~temporary_file() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void temporary_file::close() {
  if (!file_.close()) throw_errno("write", named_by_user_);
}

bool temporary_file::publish() {
  auto result = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE);
  if (result != 0 && (errno == EINVAL || errno == ENOSYS)) {  // the file system cannot: a second name does the same
    if (::link(path_.c_str(), target_.c_str()) == 0) return true;
  } else if (result == 0) {
    path_.clear();
    return true;
  }
  if (errno == EEXIST) return false;
  throw_errno("create", named_by_user_);
}

void temporary_file::replace() {
  if (::rename(path_.c_str(), target_.c_str()) != 0) throw_errno("rename", named_by_user_);
  path_.clear();
}

}  // namespace tensorplay
