#include "peers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <system_error>
#include <vector>

#include "hand_mapping.hpp"

namespace bench {

float through_mmap(const std::filesystem::path& filename, std::int64_t count, span_use* use) {
  return use(hand_mapping{filename, false, count}.span());
}

float through_boost(const std::filesystem::path& filename, std::int64_t count, span_use* use) {
  namespace ipc = boost::interprocess;
  const auto numel = static_cast<std::size_t>(count);
  const ipc::file_mapping file{filename.c_str(), ipc::read_only};
  const ipc::mapped_region region{file, ipc::copy_on_write, 0, numel * sizeof(float), nullptr, MAP_NORESERVE};
  return use({static_cast<const float*>(region.get_address()), numel});
}

float through_read(const std::filesystem::path& filename, std::int64_t count, span_use* use) {
  std::vector<float> copy(static_cast<std::size_t>(count));
  const int file = ::open(filename.c_str(), O_RDONLY | O_CLOEXEC);
  for (auto left = std::as_writable_bytes(std::span{copy}); !left.empty();) {
    const auto taken = ::read(file, left.data(), left.size());
    if (taken <= 0) throw std::system_error{errno, std::system_category(), "read"};
    left = left.subspan(static_cast<std::size_t>(taken));
  }
  ::close(file);
  return use(copy);
}

float through_ifstream(const std::filesystem::path& filename, std::int64_t count, span_use* use) {
  std::vector<float> copy(static_cast<std::size_t>(count));
  std::ifstream file{filename, std::ios::binary};
  file.exceptions(std::ios::badbit | std::ios::failbit);
  file.read(reinterpret_cast<char*>(copy.data()), static_cast<std::streamsize>(copy.size() * sizeof(float)));
  return use(copy);
}

}  // namespace bench
