// fashion_mnist [FILE]: maps a data set of 60000 images behind a header of 16 bytes and looks at it.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>
#include <vector>

import tensorplay.functional;
namespace tp = tensorplay;

namespace {

constexpr std::int64_t header_bytes = 16;
constexpr int skipped = 77;  // what Meson takes for a skipped test

/// The four big-endian numbers of an IDX header for images: magic, images, rows, columns.
std::array<std::uint32_t, 4> header_of(const std::filesystem::path& file) {
  std::array<std::uint32_t, 4> numbers{};
  const auto bytes = tp::from_file<const std::uint8_t>(file, false, header_bytes);
  for (std::int64_t at = 0; at < header_bytes; ++at) {
    auto& number = numbers[static_cast<std::size_t>(at / 4)];
    number = number << 8 | bytes[at];
  }
  return numbers;
}

/// One character for each pixel, dark to bright.
template <class Image>
void draw(const Image& image) {
  constexpr std::string_view shades = " .:-=+*#%@";
  for (std::int64_t row = 0; row < image.shape()[0]; row += 2) {  // characters are about twice as high as wide
    for (const auto pixel : image[row]) std::cout << shades[static_cast<std::size_t>(pixel) * shades.size() / 256];
    std::cout << '\n';
  }
}

template <class Function>
double microseconds(Function function) {
  const auto begin = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path file = count > 1 ? arguments[1] : "train-images-idx3-ubyte";
  if (!std::filesystem::exists(file)) {
    std::cout << file << " is missing. Debian and Ubuntu: apt-get install dataset-fashion-mnist, then set the build up again.\n";
    return skipped;
  }
  if (const std::array<std::uint32_t, 4> wanted{0x803, 60'000, 28, 28}; header_of(file) != wanted) {
    std::cout << file << " has another header than 60000 images of 28 x 28\n";
    return 1;
  }

  tp::tensor<const std::uint8_t, 3> images;
  const auto opened =
      microseconds([&] { images = tp::from_file<const std::uint8_t>(file, false, {60'000, 28, 28}, {.offset = header_bytes}); });
  std::vector<char> read(static_cast<std::size_t>(images.nbytes()));
  const auto copied = microseconds([&] { std::ifstream{file, std::ios::binary}.read(read.data(), images.nbytes()); });

  std::vector<std::int64_t> sums(28 * 28);
  for (std::int64_t image = 0; image < images.shape()[0]; ++image) {
    std::ranges::transform(sums, images[image].span(), sums.begin(), std::plus{});
  }
  auto mean = tp::empty<std::uint8_t>(28, 28);
  std::ranges::transform(sums, mean.begin(), [](std::int64_t sum) { return static_cast<std::uint8_t>(sum / 60'000); });

  std::cout << "mapped " << images.nbytes() << " bytes in " << opened << " us; reading them takes " << copied << " us\n";
  std::cout << "the mean of all images:\n";
  draw(mean);
  std::cout << "the first garment:\n";
  draw(images[0]);
}
