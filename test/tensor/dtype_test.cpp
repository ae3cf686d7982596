#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <concepts>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

import tensorplay.tensor;

namespace tp = tensorplay;

static_assert(tp::dtype_of<float> == tp::float32);
static_assert(tp::dtype_of<const double> == tp::float64);
static_assert(tp::dtype_of<tp::bool8_t> == tp::bool_);
static_assert(tp::dtype_of<std::complex<double>> == tp::complex128);
static_assert(std::same_as<tp::element_of<tp::bfloat16>, tp::bfloat16_t>);
static_assert(std::same_as<tp::element_of<tp::uint16>, std::uint16_t>);

TEMPLATE_TEST_CASE("element types and dtypes lead to each other", "[dtype]", tp::bool8_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t, tp::float16_t,
                   tp::bfloat16_t, float, double, std::complex<float>, std::complex<double>) {
  constexpr auto type = tp::dtype_of<TestType>;
  STATIC_CHECK(std::same_as<tp::element_of<type>, TestType>);
  CHECK(tp::itemsize(type) == sizeof(TestType));
  CHECK(tp::dispatch(type, []<class T>() { return std::same_as<T, TestType>; }));
}

TEST_CASE("a dtype prints as NumPy and PyTorch name it", "[dtype]") {
  CHECK(tp::name(tp::bool_) == "bool");
  CHECK(tp::name(tp::bfloat16) == "bfloat16");
  CHECK(tp::name(tp::complex64) == "complex64");
  std::ostringstream out;
  out << tp::float32 << ' ' << tp::uint8;
  CHECK(out.str() == "float32 uint8");
}

TEST_CASE("floating-point and complex dtypes are told apart", "[dtype]") {
  for (const auto type : {tp::float16, tp::bfloat16, tp::float32, tp::float64}) CHECK(tp::is_floating_point(type));
  for (const auto type : {tp::bool_, tp::int64, tp::complex64}) CHECK_FALSE(tp::is_floating_point(type));
  CHECK(tp::is_complex(tp::complex64));
  CHECK(tp::is_complex(tp::complex128));
  CHECK_FALSE(tp::is_complex(tp::float64));
}

TEST_CASE("a number that is no dtype is refused", "[dtype]") {
  CHECK_THROWS_AS(tp::itemsize(static_cast<tp::dtype>(99)), std::invalid_argument);
  CHECK_THROWS_AS(tp::name(static_cast<tp::dtype>(99)), std::invalid_argument);
}
