#include "scratch.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

namespace bench {

std::filesystem::path work_folder() {
  const auto* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? std::filesystem::path{chosen} : std::filesystem::current_path();
}

scratch_folder::scratch_folder() {
  auto name = (work_folder() / "tensorplay-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::system_error{errno, std::system_category(), name};
  path_ = name;
}

scratch_folder::~scratch_folder() {
  std::error_code left_behind;
  std::filesystem::remove_all(path_, left_behind);
}

std::filesystem::path scratch_folder::text_file(std::string_view name, std::string_view text) const {
  auto made = path_ / name;
  std::ofstream file{made, std::ios::binary};
  file.exceptions(std::ios::badbit | std::ios::failbit);
  file << text << std::flush;
  return made;
}

std::filesystem::path scratch_folder::sparse_file(std::string_view name, std::int64_t nbytes) const {
  auto made = text_file(name, "");
  std::filesystem::resize_file(made, static_cast<std::uintmax_t>(nbytes));
  return made;
}

}  // namespace bench
