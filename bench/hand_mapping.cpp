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

void save_by_hand(const std::filesystem::path& filename, std::span<const std::byte> bytes) {
  const int file = ::open(filename.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  require(file != -1, "open");
  require(::posix_fallocate(file, 0, static_cast<off_t>(bytes.size())) == 0, "posix_fallocate");
  while (!bytes.empty()) {
    const auto taken = ::write(file, bytes.data(), bytes.size());
    require(taken > 0, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(taken));
  }
  require(::close(file) == 0, "close");
}

huge_pages::huge_pages(std::int64_t count) {
  constexpr std::size_t page{std::size_t{2} << 20};
  nbytes_ = static_cast<std::size_t>(count) * sizeof(float) + page;
  mapped_ = ::mmap(nullptr, nbytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(mapped_ != MAP_FAILED, "mmap");
  const auto behind = reinterpret_cast<std::uintptr_t>(mapped_) % page;
  first_ = reinterpret_cast<float*>(static_cast<std::byte*>(mapped_) + (page - behind) % page);
  ::madvise(mapped_, nbytes_, MADV_HUGEPAGE);
}

huge_pages::~huge_pages() {
  if (::munmap(mapped_, nbytes_) != 0) std::terminate();
}

}  // namespace bench
