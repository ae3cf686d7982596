module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

module tensorplay.tensor;

import tensorplay.storage;

namespace tensorplay {
namespace {

constexpr std::int64_t piece_bytes{std::int64_t{4} << 20};  // pieces of 2 MiB or more make a file that maps in large pages

/// Writes elements that do not stand one behind the other.
void write_gathered(file_replacement& file, const any_view& elements) {
  const auto size = itemsize(elements.dtype());
  const auto most = piece_bytes / size;
  std::vector<std::byte> gathered(static_cast<std::size_t>(std::min(elements.nbytes(), piece_bytes)));
  for (element_walk walk{elements}; walk.remaining() > 0;) {
    const auto count = std::min(walk.remaining(), most);
    walk.gather(gathered.data(), count);
    file.write({gathered.data(), static_cast<std::size_t>(count * size)});
  }
}

void write_elements(file_replacement& file, const any_view& elements) {
  if (elements.is_contiguous()) {
    file.write({elements.data(), static_cast<std::size_t>(elements.nbytes())});
  } else {
    const any_view bytes{
        const_cast<std::byte*>(elements.data()), elements.dtype(), encoding::native, false, elements.shape(), elements.strides()};
    write_gathered(file, bytes);
  }
}

}  // namespace

void save_elements(const std::filesystem::path& filename, const storage& bytes, const any_view& elements,
                   const replacement_options& options) {
  const fault_guard guard{bytes};
  const auto range = bytes_of(bytes, elements);
  file_replacement file{filename, elements.nbytes(), options};
  try {
    write_elements(file, elements);
  } catch (const storage_error& refused) {
    // write(2) reports bytes that are not there as EFAULT, where an access would be a SIGBUS
    if (refused.code() == std::errc::bad_address) guard.check(bytes, range.offset_bytes, range.nbytes);
    throw;
  }
  guard.check(bytes, range.offset_bytes, range.nbytes);  // zeros in place of what was lost never become a file
  file.commit();
}

byte_range bytes_of(const storage& bytes, const any_view& elements) noexcept {
  if (bytes.nbytes() == 0 || elements.numel() == 0) return {0, 0};
  std::int64_t last = 0;
  for (std::size_t dimension = 0; dimension < elements.shape().size(); ++dimension) {
    last += (elements.shape()[dimension] - 1) * elements.strides()[dimension];
  }
  return {elements.data() - bytes.data(), (last + 1) * itemsize(elements.dtype())};
}

void throw_not_contiguous(std::string_view operation, std::span<const std::int64_t> shape,
                          std::span<const std::int64_t> strides) {
  throw std::invalid_argument{std::string{operation} + ": contiguous elements were wanted, found the shape " + shape_text(shape) +
                              " with strides " + shape_text(strides) + "; contiguous() copies them so"};
}

}  // namespace tensorplay
