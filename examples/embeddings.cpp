// Finds the ten nearest rows of a file that is larger than the memory it may use.
//
// embeddings [MEBIBYTES [GIBIBYTES]]: memory to stay within, 128 unless given; size of the file that is made, 1 unless given.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

import tensorplay.functional;
namespace tp = tensorplay;

namespace {

constexpr std::int64_t width = 256;
constexpr std::int64_t row_bytes = width * 2;
constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t block_rows = 16 * mebibyte / row_bytes;
constexpr std::int64_t written_apart = 1021;  // rows from one that is written to the next; the others are holes
constexpr std::int64_t wanted_row = 5 * written_apart;

using rows_view = tp::tensor_view<const tp::float16_t, 2>;

/// A row's number and its cosine.
using hit = std::pair<std::int64_t, float>;

/// Makes the file: sparse, some rows written.
void make(const std::filesystem::path& path, std::int64_t rows) {
  std::filesystem::remove(path);
  tp::manual_seed(42);
  auto t = tp::from_file<tp::float16_t>(path, /*shared=*/true, {rows, width}, {.sparse = true});
  for (std::int64_t row = 0; row < rows; row += written_apart) t[row].copy_(tp::randn<float>(width));
}

/// Mebibytes of this process in memory, the mapped file's among them.
std::int64_t resident_mebibytes() {
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;) {
    if (word != "VmRSS:") continue;
    std::int64_t kibibytes = 0;
    status >> kibibytes;
    return kibibytes / 1024;
  }
  return 0;
}

/// Adds the rows of a block to the nearest ones.
void search(rows_view block, std::int64_t first_row, const tp::tensor<float>& query, std::vector<hit>& nearest) {
  for (std::int64_t at = 0; at < block.shape()[0]; ++at) {
    if (tp::count_nonzero(block[at].view_as<std::uint16_t>()) == 0) continue;  // a hole has no direction
    const auto row = tp::to<float>(block[at]);
    const auto cosine = tp::dot(row, query) / std::sqrt(tp::dot(row, row) * tp::dot(query, query));
    nearest.emplace_back(first_row + at, cosine);
  }
  const auto kept = std::min<std::ptrdiff_t>(10, std::ssize(nearest));
  std::ranges::partial_sort(nearest, nearest.begin() + kept, std::ranges::greater{}, &hit::second);
  nearest.resize(static_cast<std::size_t>(kept));
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t limit = argc > 1 ? std::atoll(argv[1]) : 128;
  const std::int64_t rows = (argc > 2 ? std::atoll(argv[2]) : 1) * 1024 * mebibyte / row_bytes;
  const std::filesystem::path path = "embeddings.bin";
  make(path, rows);

  // Shared and read-only: pages that are done with can be given back, and nothing can be stored.
  const auto t = tp::from_file<const tp::float16_t>(path, true, {rows, width});
  const auto query = t.row(wanted_row).to<float>();
  std::vector<hit> nearest;
  std::int64_t peak = 0;
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    search(t.narrow(0, row, std::min(block_rows, rows - row)), row, query, nearest);
    peak = std::max(peak, resident_mebibytes());
    t.storage().advise(tp::advice::dont_need);
  }

  std::cout << "nearest to row " << wanted_row << " of " << rows << ":\n";
  for (const auto& [row, cosine] : nearest) std::cout << "  row " << row << "  cosine " << cosine << '\n';
  std::cout << "file " << t.nbytes() / mebibyte << " MiB, at most " << peak << " MiB in memory\n";
  std::filesystem::remove(path);
  return nearest.front().first == wanted_row && peak <= limit ? 0 : 1;
}
