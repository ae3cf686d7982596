#include "hand_mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <system_error>

namespace bench {

void require(bool done, const char* operation) {
  if (!done) throw std::system_error{errno, std::system_category(), operation};
}

hand_mapping::hand_mapping(const std::filesystem::path& filename, bool shared, std::int64_t count) {
  const auto nbytes = static_cast<std::size_t>(count) * sizeof(float);
  struct ::stat status{};
  require(::stat(filename.c_str(), &status) == 0 && S_ISREG(status.st_mode), "stat");
  const int file = ::open(filename.c_str(), (shared ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  require(file != -1, "open");
  require(::fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >= nbytes, "fstat");
  auto* const first = ::mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE, file, 0);
  require(first != MAP_FAILED, "mmap");
  require(::close(file) == 0, "close");
  floats_ = {static_cast<float*>(first), static_cast<std::size_t>(count)};
}

hand_mapping::~hand_mapping() {
  if (::munmap(floats_.data(), floats_.size_bytes()) != 0) std::terminate();
}

void hand_mapping::flush() const { require(::msync(floats_.data(), floats_.size_bytes(), MS_SYNC) == 0, "msync"); }

}  // namespace bench
