module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
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

}  // namespace

void save_elements(const std::filesystem::path& filename, const any_view& elements) {
  const auto nbytes = elements.nbytes();
  file_replacement file{filename, nbytes};
  if (elements.is_contiguous()) {
    file.write({elements.data(), static_cast<std::size_t>(nbytes)});
  } else {
    const any_view bytes{
        const_cast<std::byte*>(elements.data()), elements.dtype(), encoding::native, false, elements.shape(), elements.strides()};
    write_gathered(file, bytes);
  }
  file.commit();
}

void throw_not_contiguous(std::string_view operation, std::span<const std::int64_t> shape,
                          std::span<const std::int64_t> strides) {
  throw std::invalid_argument{std::string{operation} + ": contiguous elements were wanted, found the shape " + shape_text(shape) +
                              " with strides " + shape_text(strides) + "; contiguous() copies them so"};
}

}  // namespace tensorplay
