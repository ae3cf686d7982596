#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace bench {

/// Errors    std::system_error with errno: the call was not done.
void require(bool done, const char* operation);

/// Floats of a file, mapped for reading and writing as one does by hand: stat, open, fstat, mmap, close and munmap, each result checked.
class hand_mapping {
 public:
  hand_mapping(const std::filesystem::path& filename, bool shared, std::int64_t count);
  hand_mapping(const hand_mapping&) = delete;
  hand_mapping& operator=(const hand_mapping&) = delete;
  ~hand_mapping();

  std::span<float> span() const noexcept { return floats_; }

  /// msync
  void flush() const;

 private:
  std::span<float> floats_;
};

}  // namespace bench
