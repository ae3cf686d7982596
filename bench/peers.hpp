#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace bench {

using span_use = float(std::span<const float>);

/// One way to the first floats of a file, without a library of ours; gives what use(floats) gives.
using way = float(const std::filesystem::path& filename, std::int64_t count, span_use* use);

/// A private hand_mapping.
way through_mmap;

/// Boost.Interprocess's file_mapping and mapped_region.
way through_boost;

/// read(2) into new memory.
way through_read;

/// std::ifstream into new memory.
way through_ifstream;

/// All of them, named as cases are.
inline constexpr struct {
  const char* name;
  way* floats;
} ways[]{{"by_hand", through_mmap}, {"boost", through_boost}, {"read", through_read}, {"ifstream", through_ifstream}};

}  // namespace bench
