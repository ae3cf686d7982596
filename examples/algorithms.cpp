// What the standard library does with a mapped tensor.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <ranges>
#include <span>
#include <version>

import tensorplay.functional;
namespace tp = tensorplay;

namespace {

bool all_right = true;

template <class T>
void show(const char* what, const T& found, const T& wanted) {
  std::cout << what << found << '\n';
  all_right = all_right && found == wanted;
}

double total(std::span<const float> values) { return std::reduce(values.begin(), values.end(), 0.0); }

}  // namespace

int main() {
  const std::filesystem::path file = "algorithms.bin";
  std::filesystem::remove(file);
  auto t = tp::from_file<float>(file, /*shared=*/true, {3, 4});

  // A tensor is a range of its elements in order, contiguous where the tensor is.
  std::iota(t.begin(), t.end(), 0.0F);
  std::ranges::sort(t, std::ranges::greater{});
  std::cout << "sorted in the file:\n" << t << '\n';

  // Its rows are a range of views; none of them counts a reference.
  for (auto row : t.rows()) std::ranges::reverse(row);
  show("first of the last row: ", t(2, 0), 0.0F);

  // Views in, views out: nothing is copied on the way.
  auto large = t | std::views::filter([](float value) { return value > 5; }) |
               std::views::transform([](float value) { return value * 2; });
  show("twice the elements above 5: ", std::accumulate(large.begin(), large.end(), 0.0F), 102.0F);

  // Spans in and out.
  show("a row as a span: ", total(t[0].span()), 38.0);
  float values[]{3, 1, 2};
  show("a span as a tensor: ", tp::argmax(tp::tensor_view<float>{std::span<float>{values}}), std::int64_t{0});

  // Strided views are random-access ranges too.
  auto column = t.select(1, 0);
  std::ranges::sort(column);
  show("a sorted column: ", column[2], 8.0F);

#if defined(__cpp_lib_ranges_zip)
  float products = 0;
  for (auto [one, other] : std::views::zip(t[0], t[1])) products += one * other;
  show("a dot product by zip: ", products, tp::dot(t[0], t[1]));
#endif

  // An element that several threads or processes share.
  auto counters = tp::from_file<std::int64_t>("algorithms.count", true, 1);
  const auto before = counters[0];
  std::atomic_ref{counters[0]}.fetch_add(1);
  show("counted: ", counters[0] - before, std::int64_t{1});
  return all_right ? 0 : 1;
}
