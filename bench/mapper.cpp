#include "mapper.hpp"

#include <sys/mman.h>

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cstddef>

#include "hand_mapping.hpp"
#include "reporter.hpp"

namespace bench {

float map_by_hand(const std::filesystem::path& filename, bool shared, std::int64_t count, touch read) {
  const hand_mapping mapped{filename, shared, count};
  return read == touch::last_element ? mapped.span().back() : 0;
}

float map_with_boost(const std::filesystem::path& filename, bool shared, std::int64_t count, touch read) {
  namespace ipc = boost::interprocess;
  const ipc::file_mapping file{filename.c_str(), shared ? ipc::read_write : ipc::read_only};
  const ipc::mapped_region region{file,    shared ? ipc::read_write : ipc::copy_on_write,
                                  0,       static_cast<std::size_t>(count) * sizeof(float),
                                  nullptr, shared ? ipc::default_map_options : MAP_NORESERVE};
  return read == touch::last_element ? static_cast<const float*>(region.get_address())[count - 1] : 0;
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
