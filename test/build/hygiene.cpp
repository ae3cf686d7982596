// Importers see no Boost, no system header and no macro: these names are free on both sides of the import.
namespace boost {
enum class interprocess {};
}  // namespace boost

import tensorplay.functional;

namespace boost {
enum class random {};
}  // namespace boost

// Functions, types and macros of fcntl.h, sys/mman.h, sys/stat.h, unistd.h, errno.h, limits.h and stdio.h.
enum name {
  open,
  openat,
  creat,
  fallocate,
  posix_fallocate,
  fcntl,
  flock,
  mmap,
  munmap,
  msync,
  madvise,
  mremap,
  mprotect,
  stat,
  fstat,
  fchmod,
  umask,
  close,
  read,
  write,
  pread,
  ftruncate,
  fsync,
  unlink,
  getpid,
  sysconf,
  O_RDONLY,
  O_CREAT,
  F_SETLK,
  S_ISREG,
  MAP_SHARED,
  MAP_PRIVATE,
  PROT_READ,
  PROT_WRITE,
  MS_SYNC,
  MADV_DONTNEED,
  errno,
  ENOENT,
  EINTR,
  PAGE_SIZE,
  PATH_MAX,
  EOF,
  BUFSIZ,
  BOOST_VERSION,
  BOOST_ASSERT,
};

#ifdef assert
#error "an import brought the macro assert"
#endif

// 0 when the import works beside them.
int main() { return tensorplay::zeros<float>(2, 3).numel() == 6 ? open : close; }
