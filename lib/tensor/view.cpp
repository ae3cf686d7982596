module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

module tensorplay.tensor;

import tensorplay.storage;

namespace tensorplay {
namespace {

constexpr std::size_t piece_bytes{std::size_t{4} << 20};  // pieces of 2 MiB or more make a file that maps in large pages

/// Collects bytes and hands them on in pieces.
class piecewise {
 public:
  explicit piecewise(file_replacement& file) : file_{file}, piece_(piece_bytes) {}

  void append(const std::byte* bytes, std::size_t count) {
    if (filled_ + count > piece_.size()) flush();
    std::memcpy(piece_.data() + filled_, bytes, count);
    filled_ += count;
  }
  void flush() {
    file_.write(std::span{piece_}.first(filled_));
    filled_ = 0;
  }

 private:
  file_replacement& file_;
  std::vector<std::byte> piece_;
  std::size_t filled_ = 0;
};

/// Appends the elements of a shape, the last index running fastest.
void append_elements(piecewise& out, const std::byte* first, std::size_t itemsize, std::span<const std::int64_t> shape,
                     std::span<const std::int64_t> strides) {
  if (shape.empty()) return out.append(first, itemsize);
  for (std::int64_t index = 0; index < shape.front(); ++index) {
    append_elements(out, first + index * strides.front() * static_cast<std::int64_t>(itemsize), itemsize, shape.subspan(1),
                    strides.subspan(1));
  }
}

}  // namespace

void save_elements(const std::filesystem::path& filename, const std::byte* first, std::int64_t itemsize,
                   std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
  const auto numel = first == nullptr ? 0 : numel_of(shape);
  const auto nbytes = end_in_bytes(numel, itemsize);
  file_replacement file{filename, nbytes};
  if (is_row_major(shape, strides)) {
    file.write({first, static_cast<std::size_t>(nbytes)});
  } else if (numel > 0) {
    piecewise out{file};
    append_elements(out, first, static_cast<std::size_t>(itemsize), shape, strides);
    out.flush();
  }
  file.commit();
}

void throw_not_contiguous(const char* operation, std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
  throw std::invalid_argument{std::string{operation} + ": contiguous elements were wanted, found the shape " + shape_text(shape) +
                              " with strides " + shape_text(strides)};
}

void resolve_permutation(std::span<std::int64_t> order, std::span<const std::int64_t> shape) {
  for (auto& dimension : order) dimension = static_cast<std::int64_t>(resolve_dimension(dimension, shape));
  for (std::size_t dimension = 0; dimension < order.size(); ++dimension) {
    if (std::ranges::count(order, static_cast<std::int64_t>(dimension)) != 1) {
      throw std::invalid_argument{"permute: every dimension once was wanted, found " + shape_text(order)};
    }
  }
}

}  // namespace tensorplay
