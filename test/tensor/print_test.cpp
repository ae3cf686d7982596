#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>
#include <version>
#if defined(__cpp_lib_format)
#include <format>
#endif

#include "support.hpp"

import tensorplay.storage;
import tensorplay.tensor;

namespace tp = tensorplay;

namespace {
template <class T>
std::string text(std::vector<T> values, const tp::print_options& options = {}) {
  return tp::to_string(tp::tensor_view<const T>{values.data(), {std::ssize(values)}}, options);
}

template <class T>
std::vector<T> counted(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T{});
  return values;
}
}  // namespace

TEST_CASE("numbers are printed with as few digits as tell them from their neighbours", "[print]") {
  CHECK(text<float>({0.1F, 2, -1.5F}) == "tensor([ 0.1,   2., -1.5])");
  CHECK(text<double>({0.1, 1.0 / 3}) == "tensor([               0.1, 0.3333333333333333], dtype=float64)");
  CHECK(text<tp::float16_t>({static_cast<tp::float16_t>(0.1F), static_cast<tp::float16_t>(65504.0F)}) ==
        "tensor([   0.1, 65500.], dtype=float16)");
  CHECK(text<tp::bfloat16_t>({static_cast<tp::bfloat16_t>(3.14159F)}) == "tensor([3.14], dtype=bfloat16)");
  CHECK(text<float>({1e20F, 1e-9F}) == "tensor([1e+20, 1e-09])");
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  CHECK(text<float>({infinity, -infinity, std::numeric_limits<float>::quiet_NaN(), 1}) == "tensor([ inf, -inf,  nan,   1.])");
}

TEST_CASE("every dtype is printed, and named where the numbers do not tell it", "[print]") {
  CHECK(text<tp::bool8_t>({true, false}) == "tensor([ true, false])");
  CHECK(text<std::int64_t>({1, -20}) == "tensor([  1, -20])");
  CHECK(text<std::uint8_t>({7, 200}) == "tensor([  7, 200], dtype=uint8)");
  CHECK(text<std::int8_t>({-128}) == "tensor([-128], dtype=int8)");
  CHECK(text<std::uint64_t>({18446744073709551615U}) == "tensor([18446744073709551615], dtype=uint64)");
  CHECK(text<std::complex<float>>({{1, -2.5F}, {0, 3}}) == "tensor([1.-2.5j,  0.+3.j])");
  CHECK(text<std::complex<double>>({{1, 2}}) == "tensor([1.+2.j], dtype=complex128)");
  CHECK(text<tp::packed<std::int64_t, std::endian::big>>({5}) == "tensor([5])");
}

TEST_CASE("the default dtype is not named", "[print]") {
  tp::set_default_dtype(tp::float64);
  const auto wide = text<double>({1});
  const auto narrow = text<float>({1});
  const auto complex = text<std::complex<double>>({{1, 2}});
  tp::set_default_dtype(tp::float32);
  CHECK(wide == "tensor([1.])");
  CHECK(narrow == "tensor([1.], dtype=float32)");
  CHECK(complex == "tensor([1.+2.j])");
}

TEST_CASE("dimensions are nested brackets with aligned columns", "[print]") {
  auto values = counted<std::int64_t>(12);
  const tp::tensor_view<std::int64_t, 3> view{values.data(), {2, 2, 3}};
  CHECK(tp::to_string(view) ==
        "tensor([[[ 0,  1,  2],\n"
        "         [ 3,  4,  5]],\n"
        "\n"
        "        [[ 6,  7,  8],\n"
        "         [ 9, 10, 11]]])");
  CHECK(tp::to_string(view.select(0, 1).transpose(0, 1)) ==
        "tensor([[ 6,  9],\n"
        "        [ 7, 10],\n"
        "        [ 8, 11]])");
}

TEST_CASE("a tensor of no dimension is its number, one without elements tells its shape", "[print]") {
  std::int64_t five = 5;
  CHECK(tp::to_string(tp::tensor_view<std::int64_t, 0>{&five, {}}) == "tensor(5)");
  CHECK(tp::to_string(tp::any_tensor{}) == "tensor([])");
  CHECK(tp::to_string(tp::tensor_view<float, 2>{nullptr, {0, 3}}) == "tensor([], shape=(0, 3))");
}

TEST_CASE("more elements than the threshold are cut to their edges", "[print]") {
  CHECK(text(counted<std::int64_t>(1000)).find("...") == std::string::npos);
  CHECK(text(counted<std::int64_t>(1001)) == "tensor([   0,    1,    2, ...,  998,  999, 1000])");
  CHECK(text(counted<std::int64_t>(10), {.threshold = 9, .edge_items = 1}) == "tensor([0, ..., 9])");
  auto values = counted<std::int64_t>(10'000);
  CHECK(tp::to_string(tp::tensor_view<std::int64_t, 2>{values.data(), {100, 100}}, {.edge_items = 2}) ==
        "tensor([[   0,    1, ...,   98,   99],\n"
        "        [ 100,  101, ...,  198,  199],\n"
        "        ...,\n"
        "        [9800, 9801, ..., 9898, 9899],\n"
        "        [9900, 9901, ..., 9998, 9999]])");
}

TEST_CASE("edges of many dimensions stay few", "[print]") {
  const float zero = 0;
  const tp::tensor_view<const float> one{&zero, {1}};
  const auto many = one.expand(9, 9, 9, 9, 9, 9, 9, 9, 9, 9);
  CHECK(tp::to_string(many).size() < 1'000'000);
}

TEST_CASE("rows longer than the line go on in the next one", "[print]") {
  CHECK(text(counted<std::int64_t>(12), {.line_width = 24}) ==
        "tensor([ 0,  1,  2,  3,\n"
        "         4,  5,  6,  7,\n"
        "         8,  9, 10, 11])");
  CHECK(text(counted<std::int64_t>(3), {.line_width = 0}) == "tensor([0,\n        1,\n        2])");
}

TEST_CASE("a precision gives each number that many digits behind the point", "[print]") {
  CHECK(text<float>({0.123456F, 10}, {.precision = 2}) == "tensor([ 0.12, 10.00])");
  CHECK(text<double>({1e30}, {.precision = 3}) == "tensor([1.000e+30], dtype=float64)");
  CHECK(text<float>({1.5F}, {.precision = 0}) == "tensor([2])");
}

TEST_CASE("tensors are put into streams", "[print]") {
  std::ostringstream out;
  std::vector<float> values{1, 2};
  const tp::tensor_view<float> view{values.data(), {2}};
  out << view << ' ' << tp::any_view{view} << ' ' << tp::clone(view);
  CHECK(out.str() == "tensor([1., 2.]) tensor([1., 2.]) tensor([1., 2.])");
}

#if defined(__cpp_lib_format)
TEST_CASE("tensors are formatted", "[print]") {
  std::vector<float> values{1.25F, 2};
  const tp::tensor_view<float> view{values.data(), {2}};
  CHECK(std::format("{}", view) == "tensor([1.25,   2.])");
  CHECK(std::format("{:.1}", tp::clone(view)) == "tensor([1.2, 2.0])");
  CHECK(std::format("{:.3}|", tp::any_tensor{tp::clone(view)}) == "tensor([1.250, 2.000])|");
  CHECK_THROWS_AS(std::vformat("{:x}", std::make_format_args(view)), std::format_error);
}
#endif

TEST_CASE("printing a mapped file of a tebibyte touches a few pages", "[print]") {
  const support::temporary_folder folder;
  support::write_sparse(folder / "f", std::int64_t{1} << 40);
  const tp::any_tensor t{
      tp::map_file(folder / "f", std::int64_t{1} << 40, {.mode = tp::access::read_only}), tp::uint8, {1 << 20, 1 << 20}};
  const auto before = support::resident_bytes();
  CHECK(tp::to_string(t).find("...") != std::string::npos);
  CHECK(support::resident_bytes() - before < 64 << 20);
}
