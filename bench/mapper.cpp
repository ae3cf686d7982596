#include "mapper.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cstddef>

#include "hand_mapping.hpp"
#include "reporter.hpp"

namespace bench {
namespace {

namespace ipc = boost::interprocess;

struct floats_of_file {
  const std::filesystem::path& filename;
  bool shared;
  std::int64_t count;

  std::size_t nbytes() const { return static_cast<std::size_t>(count) * sizeof(float); }
};

ipc::file_mapping open_with_boost(const floats_of_file& wanted) {
  return {wanted.filename.c_str(), wanted.shared ? ipc::read_write : ipc::read_only};
}

ipc::mapped_region map_opened(const floats_of_file& wanted, const ipc::file_mapping& file) {
  return {file,    wanted.shared ? ipc::read_write : ipc::copy_on_write,    0, wanted.nbytes(),
          nullptr, wanted.shared ? ipc::default_map_options : MAP_NORESERVE};
}

ipc::mapped_region map_regular(const floats_of_file& wanted) {
  struct ::stat status{};
  require(::stat(wanted.filename.c_str(), &status) == 0 && S_ISREG(status.st_mode), "stat");
  const auto file = open_with_boost(wanted);
  const bool is_seen = ::fstat(file.get_mapping_handle().handle, &status) == 0;
  require(is_seen && static_cast<std::size_t>(status.st_size) >= wanted.nbytes(), "fstat");
  return map_opened(wanted, file);
}

float last_of(const floats_of_file& wanted, const ipc::mapped_region& region, touch read) {
  return read == touch::last_element ? static_cast<const float*>(region.get_address())[wanted.count - 1] : 0;
}

}  // namespace

float map_by_hand(const std::filesystem::path& filename, bool shared, std::int64_t count, touch read) {
  const hand_mapping mapped{filename, shared, count};
  return read == touch::last_element ? mapped.span().back() : 0;
}

float map_with_boost(const std::filesystem::path& filename, bool shared, std::int64_t count, touch read) {
  const floats_of_file wanted{filename, shared, count};
  const auto file = open_with_boost(wanted);
  return last_of(wanted, map_opened(wanted, file), read);
}

float map_with_boost_and_stats(const std::filesystem::path& filename, bool shared, std::int64_t count, touch read) {
  const floats_of_file wanted{filename, shared, count};
  return last_of(wanted, map_regular(wanted), read);
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
