#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// What a reader must know to judge the figures: names and values, "unknown" where the system does not say.
///
/// folder    whose file system and device are meant.
std::vector<std::pair<std::string, std::string>> machine_facts(const std::filesystem::path& folder);

}  // namespace bench
