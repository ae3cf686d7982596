#pragma once

#include <cstddef>
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

/// Writes a new file: reserves its space, then writes all at once. As fast as the system takes bytes.
void save_by_hand(const std::filesystem::path& filename, std::span<const std::byte> bytes);

/// Memory in huge pages, which the system gives filled with zeros: what new content of a mapping or a copy of it is written to.
class huge_pages {
 public:
  explicit huge_pages(std::int64_t count);
  huge_pages(const huge_pages&) = delete;
  huge_pages& operator=(const huge_pages&) = delete;
  ~huge_pages();

  float* data() const noexcept { return first_; }

 private:
  void* mapped_;
  std::size_t nbytes_;
  float* first_;
};

}  // namespace bench
