#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace bench {

/// What is read of a mapping before it goes.
enum class touch { nothing, last_element };

/// Maps the first floats of a file for reading and writing, and unmaps them.
///
/// count     Elements.
/// Returns   the last of them, or zero where nothing is touched.
using mapper = float(const std::filesystem::path& filename, bool shared, std::int64_t count, touch read);

/// stat, open, fstat, mmap, close and munmap, each result checked.
mapper map_by_hand;

/// Boost.Interprocess's file_mapping and mapped_region.
mapper map_with_boost;

/// The same between stat and fstat, their results checked: the six calls with Boost's two classes, the limit of what uses them.
mapper map_with_boost_and_stats;

/// libtorch's at::from_file; defined where libtorch was found.
mapper map_with_torch;

/// What the cases of one group map.
struct mapped_file {
  std::filesystem::path path;
  bool shared;
  std::int64_t count;
  float last;  ///< the value of the last element
};

/// Registers a case that maps and unmaps a file without touching it. It fails where one touch does not find the last element.
void register_mapper(const std::string& name, mapper* map, const mapped_file& file);

}  // namespace bench
