#include "mapper.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include "reporter.hpp"

namespace bench {
namespace {

std::size_t nbytes_of(std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(float); }

float value(const void* first, std::int64_t count, touch read) {
  return read == touch::last_element ? static_cast<const float*>(first)[count - 1] : 0;
}

void require(bool done, const char* operation) {
  if (!done) throw std::system_error{errno, std::system_category(), operation};
}

}  // namespace

float map_by_hand(const std::filesystem::path& filename, bool shared, std::int64_t count, touch read) {
  const auto nbytes = nbytes_of(count);
  struct ::stat status{};
  require(::stat(filename.c_str(), &status) == 0 && S_ISREG(status.st_mode), "stat");
  const int file = ::open(filename.c_str(), (shared ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  require(file != -1, "open");
  require(::fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >= nbytes, "fstat");
  auto* const first = ::mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE, file, 0);
  require(first != MAP_FAILED, "mmap");
  require(::close(file) == 0, "close");
  const auto last = value(first, count, read);
  require(::munmap(first, nbytes) == 0, "munmap");
  return last;
}

float map_with_boost(const std::filesystem::path& filename, bool shared, std::int64_t count, touch read) {
  namespace ipc = boost::interprocess;
  const ipc::file_mapping file{filename.c_str(), shared ? ipc::read_write : ipc::read_only};
  const ipc::mapped_region region{file,    shared ? ipc::read_write : ipc::copy_on_write,    0, nbytes_of(count),
                                  nullptr, shared ? ipc::default_map_options : MAP_NORESERVE};
  return value(region.get_address(), count, read);
}

void register_mapper(const std::string& name, mapper* map, const mapped_file& file) {
  add_case(name, [map, file](benchmark::State& state) {
    if (map(file.path, file.shared, file.count, touch::last_element) != file.last) {
      state.SkipWithError("the last element is another than the file's");
      return;
    }
    for (auto _ : state) map(file.path, file.shared, file.count, touch::nothing);
  });
}

}  // namespace bench
