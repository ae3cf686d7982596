#undef _FORTIFY_SOURCE  // its inline functions would stand in the way of these
#include "shim.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>

namespace {

enum class fault { none, fail, interrupt, shorten };

constexpr int most_calls = 100'000;

std::atomic<bool> lacking{false};
thread_local bool counting = false;
thread_local fault kind = fault::none;
thread_local int chosen = -1;
thread_local int error = 0;
thread_local int interruptions = 0;
thread_local int calls = 0;
thread_local std::pair<const char*, std::size_t> synced;
thread_local const char* names[most_calls];

void start(fault wanted) {
  kind = wanted;
  calls = 0;
  counting = true;
}

/// A reserving call may be interrupted; a file system may lack it, as an exclusive one.
enum class kind_of_call { plain, interruptible, reserving, exclusive };

/// Whether a call is to fail; sets errno.
bool fails(const char* name, kind_of_call may = kind_of_call::plain) {
  if (!counting || calls == most_calls) return false;
  names[calls] = name;
  const int number = calls++;
  if (kind == fault::fail && number == chosen) {
    errno = error;
    return true;
  }
  if (kind == fault::interrupt && (may == kind_of_call::interruptible || may == kind_of_call::reserving) && interruptions > 0) {
    --interruptions;
    errno = EINTR;
    return true;
  }
  if (kind == fault::interrupt) interruptions = error;
  if (lacking && (may == kind_of_call::reserving || may == kind_of_call::exclusive)) {
    errno = EINVAL;
    return true;
  }
  return false;
}

std::size_t taken(std::size_t wanted) { return counting && kind == fault::shorten ? std::min<std::size_t>(wanted, 1) : wanted; }

template <class Result = int, class... Arguments>
Result call(long number, Arguments... arguments) {
  return static_cast<Result>(::syscall(number, arguments...));
}

}  // namespace

namespace shim {

void count() { start(fault::none); }

void fail(int call, int with) {
  chosen = call;
  error = with;
  start(fault::fail);
}

void interrupt(int times) {
  interruptions = error = times;
  start(fault::interrupt);
}

void shorten() { start(fault::shorten); }

void lack(bool reservation_and_exclusive_rename) { lacking = reservation_and_exclusive_rename; }

std::vector<std::string> stop() {
  counting = false;
  return {names, names + calls};
}

std::pair<const char*, std::size_t> last_range() { return synced; }

}  // namespace shim

// The C library's functions. What they do is what the kernel does.
extern "C" {

int open(const char* path, int flags, ...) {
  if (fails("open", kind_of_call::interruptible)) return -1;
  std::va_list more;
  va_start(more, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0u;
  va_end(more);
  return call(SYS_openat, AT_FDCWD, path, flags, mode);
}

int close(int file) {
  const bool failed = fails("close");
  const int kept = errno;
  const int result = call(SYS_close, file);  // it closes the file, whatever it says
  if (!failed) return result;
  errno = kept;
  return -1;
}

int stat(const char* path, struct stat* status) noexcept {
  return fails("stat") ? -1 : call(SYS_newfstatat, AT_FDCWD, path, status, 0);
}
int lstat(const char* path, struct stat* status) noexcept {
  return fails("lstat") ? -1 : call(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
// The standard library's own calls have the name without 64, which means the same on a 64-bit machine.
int other_lstat(const char* path, struct stat* status) noexcept asm("lstat");
int other_lstat(const char* path, struct stat* status) noexcept { return lstat(path, status); }
int fstat(int file, struct stat* status) noexcept {
  return fails("fstat") ? -1 : call(SYS_newfstatat, file, "", status, AT_EMPTY_PATH);
}
ssize_t readlink(const char* path, char* target, size_t count) noexcept {
  return fails("readlink") ? -1 : call<ssize_t>(SYS_readlinkat, AT_FDCWD, path, target, count);
}
int faccessat(int folder, const char* path, int mode, int flags) noexcept {
  return fails("faccessat") ? -1 : call(SYS_faccessat2, folder, path, mode, flags);
}
int fallocate(int file, int mode, off_t first, off_t count) {
  return fails("fallocate", kind_of_call::reserving) ? -1 : call(SYS_fallocate, file, mode, first, count);
}
int ftruncate(int file, off_t count) noexcept {
  return fails("ftruncate", kind_of_call::interruptible) ? -1 : call(SYS_ftruncate, file, count);
}
void* mmap(void* address, size_t count, int protection, int flags, int file, off_t offset) noexcept {
  if (fails("mmap")) return MAP_FAILED;
  return reinterpret_cast<void*>(::syscall(SYS_mmap, address, count, protection, flags, file, offset));
}
int munmap(void* address, size_t count) noexcept { return fails("munmap") ? -1 : call(SYS_munmap, address, count); }
int msync(void* address, size_t count, int flags) {
  synced = {static_cast<const char*>(address), count};
  return fails("msync", kind_of_call::interruptible) ? -1 : call(SYS_msync, address, count, flags);
}
int madvise(void* address, size_t count, int advice) noexcept {
  return fails("madvise") ? -1 : call(SYS_madvise, address, count, advice);
}
ssize_t write(int file, const void* bytes, size_t count) {
  return fails("write", kind_of_call::interruptible) ? -1 : call<ssize_t>(SYS_write, file, bytes, taken(count));
}
ssize_t pread(int file, void* bytes, size_t count, off_t offset) {
  return fails("pread", kind_of_call::interruptible) ? -1 : call<ssize_t>(SYS_pread64, file, bytes, taken(count), offset);
}
ssize_t pwritev(int file, const struct iovec* parts, int count, off_t offset) {
  if (fails("pwritev", kind_of_call::interruptible)) return -1;
  const struct iovec first{parts->iov_base, taken(parts->iov_len)};
  return first.iov_len < parts->iov_len ? call<ssize_t>(SYS_pwritev, file, &first, 1, offset, 0)
                                        : call<ssize_t>(SYS_pwritev, file, parts, count, offset, 0);
}
int fstatfs(int file, struct statfs* system) noexcept { return fails("fstatfs") ? -1 : call(SYS_fstatfs, file, system); }
ssize_t sendfile(int to, int from, off_t* offset, size_t count) noexcept {
  return fails("sendfile", kind_of_call::interruptible) ? -1 : call<ssize_t>(SYS_sendfile, to, from, offset, taken(count));
}
int fsync(int file) { return fails("fsync", kind_of_call::interruptible) ? -1 : call(SYS_fsync, file); }
int flock(int file, int operation) noexcept {
  return fails("flock", kind_of_call::interruptible) ? -1 : call(SYS_flock, file, operation);
}
int fchmod(int file, mode_t mode) noexcept { return fails("fchmod") ? -1 : call(SYS_fchmod, file, mode); }
int fchown(int file, uid_t owner, gid_t group) noexcept { return fails("fchown") ? -1 : call(SYS_fchown, file, owner, group); }
int rename(const char* from, const char* to) noexcept {
  return fails("rename") ? -1 : call(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return fails("renameat2", kind_of_call::exclusive) ? -1 : call(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
int link(const char* from, const char* to) noexcept {
  return fails("link") ? -1 : call(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int unlink(const char* path) noexcept { return fails("unlink") ? -1 : call(SYS_unlinkat, AT_FDCWD, path, 0); }
int getrlimit(__rlimit_resource_t resource, struct rlimit* limit) noexcept {
  return fails("getrlimit") ? -1 : call(SYS_prlimit64, 0, resource, nullptr, limit);
}

}  // extern "C"
