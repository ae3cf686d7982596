#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace bench {

/// The folder below which benchmarks leave files for as long as they run: TMPDIR, or the current one.
std::filesystem::path work_folder();

/// A new folder below work_folder(), removed with all it holds.
class scratch_folder {
 public:
  scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder();

  const std::filesystem::path& path() const noexcept { return path_; }

  /// Makes a file of this text.
  std::filesystem::path text_file(std::string_view name, std::string_view text) const;

  /// Makes a file of zeros that takes no space.
  std::filesystem::path sparse_file(std::string_view name, std::int64_t nbytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace bench
