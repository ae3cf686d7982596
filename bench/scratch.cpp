#include "scratch.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace bench {

std::filesystem::path work_folder() {
  const auto* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? std::filesystem::path{chosen} : std::filesystem::current_path();
}

void drop_from_cache(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file == -1 || ::fdatasync(file) != 0) throw std::system_error{errno, std::system_category(), path};
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
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

std::filesystem::path scratch_folder::file_of_ones(std::string_view name, std::int64_t numel, std::int64_t piece_numel) const {
  auto made = path_ / name;
  std::ofstream file;
  file.rdbuf()->pubsetbuf(nullptr, 0);
  file.exceptions(std::ios::badbit | std::ios::failbit);
  file.open(made, std::ios::binary);
  const std::vector<float> ones(static_cast<std::size_t>(piece_numel), 1.0F);
  for (std::int64_t written = 0; written < numel; written += piece_numel) {
    const auto count = std::min(piece_numel, numel - written);
    file.write(reinterpret_cast<const char*>(ones.data()), count * static_cast<std::int64_t>(sizeof(float)));
  }
  return made;
}

}  // namespace bench
