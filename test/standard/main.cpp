// What C++23 libraries add: says which of their parts it met, and fails where a tensor does not fit one.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <ranges>
#include <span>
#include <string>
#include <version>
#if defined(__cpp_lib_format)
#include <format>
#endif
#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

import tensorplay.functional;
namespace tp = tensorplay;

namespace {

using matrix = tp::tensor_view<float, 2>;
static_assert(std::ranges::contiguous_range<matrix> && std::ranges::sized_range<matrix> && std::ranges::view<matrix>);
static_assert(std::ranges::random_access_range<matrix::strided> && !std::ranges::contiguous_range<matrix::strided>);
static_assert(std::ranges::random_access_range<decltype(matrix{}.rows())>);

int failures = 0;

void check(bool holds, const char* what) {
  if (!holds) std::cerr << "FAIL: " << what << '\n';
  failures += holds ? 0 : 1;
}

#if defined(__cpp_lib_format)
void check_format(const tp::tensor<float, 2>& t) {
  std::cout << "format\n";
  check(std::format("{}", t[0]) == "tensor([0., 1., 2.])", "a view is formatted");
  check(std::format("{:.1}", t.row(1)) == "tensor([3.0, 4.0, 5.0])", "a tensor is formatted with a precision");
  check(std::format("{}", tp::any_tensor{t.select(1, 0)}) == "tensor([0., 3.])", "a tensor of run-time type is formatted");
}
#endif

#if defined(__cpp_lib_ranges_zip)
void check_zip(const tp::tensor<float, 2>& t) {
  std::cout << "zip\n";
  float product = 0;
  for (auto [one, other] : std::views::zip(t[0], t.select(0, 1))) product += one * other;
  check(product == tp::dot(t[0], t[1]), "tensors are zipped");
}
#endif

#if defined(__cpp_lib_mdspan)
void check_mdspan(const tp::tensor<float, 2>& t) {
  std::cout << "mdspan\n";
  const auto rows = t.mdspan();
  static_assert(std::is_same_v<decltype(rows)::layout_type, std::layout_right>);
  check(rows.extent(1) == 3 && &rows[1, 2] == &t(1, 2), "a contiguous tensor is an mdspan");
  const auto turned = t.transpose(0, 1).mdspan();
  static_assert(std::is_same_v<decltype(turned)::layout_type, std::layout_stride>);
  check(turned.extent(0) == 3 && &turned[2, 1] == &t(1, 2), "a strided tensor is an mdspan");
}
#endif

}  // namespace

int main() {
  const auto t = tp::arange<float>(6).reshape(2, 3);
#if defined(__cpp_lib_format)
  check_format(t);
#endif
#if defined(__cpp_lib_ranges_zip)
  check_zip(t);
#endif
#if defined(__cpp_lib_mdspan)
  check_mdspan(t);
#endif
  std::ranges::sort(t, std::ranges::greater{});
  check(t(0, 0) == 5, "elements are sorted");
  return failures;
}
