#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace bench {

/// The folder below which benchmarks leave files for as long as they run: TMPDIR, or the current one.
std::filesystem::path work_folder();

/// Takes a file's pages out of the system's cache, its content saved first.
void drop_from_cache(const std::filesystem::path& path);

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

  /// Makes a file of float32 ones, written in pieces: large ones give large folios in the file system's cache, and small ones small.
  std::filesystem::path file_of_ones(std::string_view name, std::int64_t numel, std::int64_t piece_numel) const;

 private:
  std::filesystem::path path_;
};

/// Pieces of file_of_ones that give folios of 2 MiB and of a page.
inline constexpr std::int64_t large_piece = 1 << 20;
inline constexpr std::int64_t small_piece = 1 << 10;

}  // namespace bench
