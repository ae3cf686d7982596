#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "support.hpp"

import tensorplay.functional;

#include "elements.hpp"

namespace tp = tensorplay;

static_assert(std::same_as<tp::sum_of<tp::bool8_t>, std::int64_t> && std::same_as<tp::sum_of<std::uint8_t>, std::int64_t>);
static_assert(std::same_as<tp::sum_of<std::uint64_t>, std::uint64_t> && std::same_as<tp::sum_of<tp::float16_t>, float>);
static_assert(std::same_as<tp::sum_of<const double>, double> && std::same_as<tp::mean_of<std::int32_t>, double>);
static_assert(std::same_as<tp::var_of<std::complex<float>>, float> &&
              std::same_as<tp::mean_of<std::complex<float>>, std::complex<float>>);
static_assert(!tp::ordered_element<std::complex<float>> && tp::ordered_element<tp::packed<float>>);

namespace {

using oracle = std::complex<long double>;

template <class T>
oracle exact(T value) {
  if constexpr (tp::complex_element<T>) {
    return {value.real(), value.imag()};
  } else if constexpr (tp::half_element<T>) {
    return {static_cast<float>(value), 0};
  } else {
    return {static_cast<long double>(value), 0};
  }
}

/// Small numbers of each sign, so that no integer sum is near its limits and no float is exact.
template <class T>
tp::tensor<T, 3> numbers(std::int64_t one, std::int64_t two, std::int64_t three, unsigned seed = 1) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<double> within{std::is_unsigned_v<T> ? 0.0 : -100.0, 100.0};
  auto made = tp::empty<T>(one, two, three);
  for (auto& element : made) {
    if constexpr (tp::complex_element<T>) {
      element = {static_cast<typename T::value_type>(within(random)), static_cast<typename T::value_type>(within(random))};
    } else if constexpr (std::same_as<T, tp::bool8_t>) {
      element = within(random) > 0;
    } else {
      element = static_cast<T>(within(random));
    }
  }
  return made;
}

/// The difference in units of the result's own precision times the sum of magnitudes.
template <class Result>
bool is_within(Result found, oracle wanted, long double magnitudes, long double epsilons) {
  if constexpr (std::integral<Result>) {
    return exact(found) == wanted;
  } else {
    using part = decltype(std::abs(found));
    const auto bound = epsilons * static_cast<long double>(std::numeric_limits<part>::epsilon()) * magnitudes;
    return std::abs(exact(found) - wanted) <= bound + static_cast<long double>(std::numeric_limits<part>::denorm_min());
  }
}

struct totals {
  oracle sum;
  long double magnitudes = 0;
  long double count = 0;

  template <class Range>
  explicit totals(const Range& elements) {
    for (const auto element : elements) {
      sum += exact(element);
      magnitudes += std::abs(exact(element));
      ++count;
    }
  }
};

template <class Range>
long double variance(const Range& elements, std::int64_t correction) {
  const totals all{elements};
  long double squares = 0;
  for (const auto element : elements) squares += std::norm(exact(element) - all.sum / all.count);
  return squares / (all.count - static_cast<long double>(correction));
}

template <class T>
constexpr long double allowed = std::same_as<T, float> ? 1 : 150;  // float32 is rounded once

constexpr auto not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEMPLATE_TEST_CASE("sums and means are those of long double, within the stated bound", "[reduction]", ALL_ELEMENTS) {
  const auto t = numbers<TestType>(7, 11, 129);
  const auto check = [](const auto& view) {
    const totals all{view};
    CHECK(is_within(tp::sum(view), all.sum, all.magnitudes, allowed<TestType>));
    CHECK(is_within(tp::mean(view), all.sum / all.count, all.magnitudes / all.count, allowed<TestType>));
  };
  check(t);
  check(t.permute(2, 0, 1));
  check(t.slice(2, 1, 100, 3));
  check(t.select(1, 4));
  check(t.row(2)[3]);
}

TEMPLATE_TEST_CASE("variances are those of long double", "[reduction]", ALL_ELEMENTS) {
  const auto t = numbers<TestType>(3, 50, 20);
  const auto wanted = variance(t, 1);
  CHECK(std::abs(static_cast<long double>(tp::var(t)) / wanted - 1) < 1e-6L);
  CHECK(std::abs(static_cast<long double>(tp::std(t)) / std::sqrt(wanted) - 1) < 1e-6L);
  const auto population = variance(t, 0);
  CHECK(std::abs(static_cast<long double>(tp::var(t, {.correction = 0})) / population - 1) < 1e-6L);
  const auto rows = tp::var(t, 1, {.correction = 0});
  const auto wanted_row = variance(t.select(0, 2).select(1, 7), 0);
  CHECK(std::abs(static_cast<long double>(rows(2, 7)) - wanted_row) <= 1e-6L * wanted_row);
  CHECK(std::abs(tp::std(t, 1)(2, 7) - std::sqrt(tp::var(t, 1)(2, 7))) < 1e-5);
}

TEMPLATE_TEST_CASE("extremes and their indices are the first ones that plain loops find", "[reduction]", tp::bool8_t,
                   REAL_ELEMENTS) {
  const auto t = numbers<TestType>(4, 9, 70);
  const auto check = [](const auto& view) {
    const std::vector<TestType> values(view.begin(), view.end());
    const auto low = std::min_element(values.begin(), values.end());
    const auto high = std::max_element(values.begin(), values.end());
    CHECK(tp::min(view) == *low);
    CHECK(tp::max(view) == *high);
    CHECK(tp::minmax(view).min == *low);
    CHECK(tp::minmax(view).max == *high);
    CHECK(tp::argmin(view) == low - values.begin());
    CHECK(tp::argmax(view) == high - values.begin());
  };
  check(t);
  check(t.transpose(0, 2));
  check(t.slice(1, 2, 8, 3));
  const auto low = tp::min(t, 1);
  const auto high_at = tp::argmax(t, -2);
  CHECK(low(3, 65) == tp::min(t.select(0, 3).select(1, 65)));
  CHECK(high_at(3, 65) == tp::argmax(t.select(0, 3).select(1, 65)));
  CHECK(tp::minmax(t, 1).max(3, 65) == tp::max(t, 1)(3, 65));
  CHECK(tp::argmin(t, 1)(0, 0) == tp::argmin(t.select(0, 0).select(1, 0)));
}

TEMPLATE_TEST_CASE("reductions of any length are those of plain loops, whatever is read at once", "[reduction]", tp::bool8_t,
                   REAL_ELEMENTS) {
  const auto per_stream = std::int64_t{65536} / std::int64_t{sizeof(TestType)};
  for (const auto count : {std::int64_t{1}, std::int64_t{2}, std::int64_t{5}, std::int64_t{63}, std::int64_t{130},
                           std::int64_t{1031}, std::int64_t{40'001}, 4 * per_stream - 1, 4 * per_stream, 9 * per_stream + 77}) {
    // Few values, so that the extremes stand at many places.
    auto t = tp::empty<TestType>(count);
    std::minstd_rand random{static_cast<unsigned>(count)};
    for (auto& element : t) element = static_cast<TestType>(static_cast<int>(random() % 100 + 1));
    const std::int8_t largest = 120;
    t[count - 1] = TestType{};
    t[count / 2] = static_cast<TestType>(largest);
    std::vector<double> values(t.begin(), t.end());
    const auto low = std::ranges::min_element(values);
    const auto high = std::ranges::max_element(values);
    INFO(count);
    CHECK(static_cast<double>(tp::min(t)) == *low);
    CHECK(static_cast<double>(tp::max(t)) == *high);
    CHECK(tp::argmin(t) == low - values.begin());
    CHECK(tp::argmax(t) == high - values.begin());
    CHECK(tp::count_nonzero(t) == std::ranges::count_if(values, [](double value) { return value != 0; }));
    const auto sum = std::accumulate(values.begin(), values.end(), 0.0);
    CHECK(std::abs(static_cast<double>(tp::sum(t)) - sum) <= (tp::half_element<TestType> ? sum * 0x1p-16 : 0));
  }
}

TEMPLATE_TEST_CASE("the first NaN is found wherever it stands", "[reduction]", tp::float16_t, tp::bfloat16_t, float, double) {
  const std::int64_t count = 300'000;
  auto t = tp::ones<TestType>(count);
  for (const auto at : {std::int64_t{0}, std::int64_t{1}, std::int64_t{64'999}, std::int64_t{131'071}, count - 1}) {
    t.fill_(1);
    t[count - 1] = t[at] = std::numeric_limits<TestType>::has_quiet_NaN ? std::numeric_limits<TestType>::quiet_NaN()
                                                                        : static_cast<TestType>(not_a_number);
    CHECK(tp::argmin(t) == at);
    CHECK(tp::argmax(t) == at);
    CHECK(std::isnan(static_cast<double>(tp::min(t))));
    CHECK(std::isnan(static_cast<double>(tp::max(t))));
  }
}

TEMPLATE_TEST_CASE("zeros of both signs are equal: the first one is the extreme's place", "[reduction]", tp::float16_t,
                   tp::bfloat16_t, float, double) {
  auto t = tp::zeros<TestType>(1000);
  t[700] = static_cast<TestType>(-0.0F);
  CHECK(tp::argmin(t) == 0);
  t[0] = static_cast<TestType>(-0.0F);
  CHECK(tp::argmax(t) == 0);
  CHECK(tp::count_nonzero(t) == 0);
  CHECK(static_cast<float>(tp::min(t)) == 0);
}

TEMPLATE_TEST_CASE("elements that differ from zero are counted", "[reduction]", ALL_ELEMENTS) {
  auto t = tp::zeros<TestType>(20, 30);
  t.slice(0, 0, 20, 3).fill_(1);
  CHECK(tp::count_nonzero(t) == 7 * 30);
  CHECK(tp::count_nonzero(t.transpose(0, 1)) == 7 * 30);
  CHECK(tp::count_nonzero(t, 0)[29] == 7);
  CHECK(tp::count_nonzero(t, 1)[1] == 0);
}

TEMPLATE_TEST_CASE("a reduction of one dimension is that of each row", "[reduction]", ALL_ELEMENTS) {
  const auto t = numbers<TestType>(3, 5, 7);
  for (std::int64_t dimension = 0; dimension < 3; ++dimension) {
    const auto sums = tp::sum(t, dimension);
    const auto means = tp::mean(t, dimension - 3);
    const auto first = dimension == 0 ? 1 : 0;
    const auto last = dimension == 2 ? 1 : 2;
    REQUIRE(sums.shape() == std::array{t.shape()[static_cast<std::size_t>(first)], t.shape()[static_cast<std::size_t>(last)]});
    const auto row = t.select(last, 2).select(first, 1);
    CHECK(sums(1, 2) == tp::sum(row));
    CHECK(means(1, 2) == tp::mean(row));
  }
}

TEMPLATE_TEST_CASE("dot is the sum of products, within the stated bound", "[reduction]", NUMERIC_ELEMENTS) {
  const auto one = numbers<TestType>(1, 1, 3000, 2).flatten();
  const auto other = numbers<TestType>(1, 1, 6000, 3).flatten().slice(0, 0, 6000, 2);
  oracle wanted;
  long double magnitudes = 0;
  for (std::int64_t at = 0; at < 3000; ++at) {
    wanted += exact(one[at]) * exact(other[at]);
    magnitudes += std::abs(exact(one[at]) * exact(other[at]));
  }
  CHECK(is_within(tp::dot(one, other), wanted, magnitudes, allowed<TestType> + (tp::complex_element<TestType> ? 3 : 0)));
}

TEMPLATE_TEST_CASE("run-time types give the same values in the same types", "[reduction]", ALL_ELEMENTS) {
  const auto t = numbers<TestType>(3, 4, 5);
  const tp::any_tensor any = t;
  CHECK(tp::sum(any).template to<tp::sum_of<TestType>>() == tp::sum(t));
  CHECK(tp::mean(any).template to<tp::mean_of<TestType>>() == tp::mean(t));
  CHECK(tp::var(any).template to<tp::var_of<TestType>>() == tp::var(t));
  CHECK(tp::std(any).template to<tp::var_of<TestType>>() == tp::std(t));
  CHECK(tp::count_nonzero(any) == tp::count_nonzero(t));
  CHECK(tp::sum(any, 0).dtype() == tp::dtype_of<tp::sum_of<TestType>>);
  CHECK(tp::mean(any, 0).dtype() == tp::dtype_of<tp::mean_of<TestType>>);
  CHECK(tp::var(any, 0).dtype() == tp::dtype_of<tp::var_of<TestType>>);
  CHECK(tp::std(any, 0).shape() == tp::dims{4, 5});
  CHECK(tp::count_nonzero(any, 1).dtype() == tp::int64);
  CHECK(tp::dot(any.flatten(), any.flatten()).template to<tp::sum_of<TestType>>() == tp::dot(t.flatten(), t.flatten()));
  if constexpr (tp::ordered_element<TestType>) {
    CHECK(tp::min(any).template to<TestType>() == tp::min(t));
    CHECK(tp::max(any).template to<TestType>() == tp::max(t));
    CHECK(tp::minmax(any).max.template to<TestType>() == tp::max(t));
    CHECK(tp::argmin(any) == tp::argmin(t));
    CHECK(tp::argmax(any) == tp::argmax(t));
    CHECK(tp::min(any, 2).dtype() == tp::dtype_of<TestType>);
    CHECK(tp::max(any, 2).shape() == tp::dims{3, 4});
    CHECK(tp::minmax(any, 2).min.shape() == tp::dims{3, 4});
    CHECK(tp::argmin(any, 0).dtype() == tp::int64);
    CHECK(tp::argmax(any, 0).dtype() == tp::int64);
  } else {
    CHECK_THROWS_AS(tp::min(any), std::invalid_argument);
    CHECK_THROWS_AS(tp::argmax(any, 0), std::invalid_argument);
  }
}

TEST_CASE("a float32 sum of many equal numbers is rounded once", "[reduction]") {
  const auto t = tp::full<float>({10'000'000}, 0.1F);
  CHECK(tp::sum(t) == static_cast<float>(10'000'000 * static_cast<double>(0.1F)));
}

TEST_CASE("half types add in float32: 4096 ones are 4096", "[reduction]") {
  CHECK(tp::sum(tp::full<tp::float16_t>({4096}, 1)) == 4096);
  CHECK(tp::sum(tp::full<tp::bfloat16_t>({100'000}, 1)) == 100'000);
  CHECK(tp::mean(tp::full<tp::float16_t>({100'000}, 60'000)) == 60'000);
}

TEST_CASE("integer sums have 64 bits and wrap there", "[reduction]") {
  CHECK(tp::sum(tp::full<std::int32_t>({3}, std::numeric_limits<std::int32_t>::max())) == 3 * std::int64_t{2147483647});
  const auto high = std::numeric_limits<std::int64_t>::max();
  CHECK(tp::sum(tp::full<std::int64_t>({2}, high)) == -2);
  CHECK(tp::mean(tp::full<std::int64_t>({4}, high)) == 0x1p63);
}

TEST_CASE("NaN is the sum, the extreme and the first index of what holds it", "[reduction]") {
  auto t = tp::arange<float>(5000);
  t[4000] = not_a_number;
  t[4500] = not_a_number;
  CHECK(std::isnan(tp::sum(t)));
  CHECK(std::isnan(tp::mean(t)));
  CHECK(std::isnan(tp::var(t)));
  CHECK(std::isnan(tp::min(t)));
  CHECK(std::isnan(tp::max(t)));
  CHECK(std::isnan(tp::minmax(t).min));
  CHECK(tp::argmin(t) == 4000);
  CHECK(tp::argmax(t) == 4000);
  CHECK(tp::count_nonzero(t) == 4999);
}

TEST_CASE("NaN in the first place stays", "[reduction]") {
  auto t = tp::zeros<float>(40);
  t[0] = not_a_number;
  CHECK(std::isnan(tp::max(t)));
  CHECK(tp::argmax(t) == 0);
}

TEST_CASE("infinities are summed as IEEE 754 says", "[reduction]") {
  auto t = tp::ones<double>(10);
  t[3] = std::numeric_limits<double>::infinity();
  CHECK(tp::sum(t) == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(tp::var(t)));
  t[4] = -t[3];
  CHECK(std::isnan(tp::sum(t)));
  CHECK(tp::minmax(t).min == t[4]);
}

TEST_CASE("a float32 sum beyond float32 is infinite", "[reduction]") {
  CHECK(tp::sum(tp::full<float>({4}, 3e38F)) == std::numeric_limits<float>::infinity());
  CHECK(tp::sum(tp::any_tensor{tp::full<float>({4}, 3e38F)}).to<double>() == std::numeric_limits<double>::infinity());
}

TEST_CASE("nothing sums to zero, has no mean, and has no extreme", "[reduction]") {
  const auto none = tp::empty<float>(0);
  CHECK(tp::sum(none) == 0);
  CHECK(tp::count_nonzero(none) == 0);
  CHECK(tp::dot(none, none) == 0);
  CHECK(std::isnan(tp::mean(none)));
  CHECK(std::isnan(tp::var(none)));
  CHECK_THROWS_AS(tp::min(none), std::invalid_argument);
  CHECK_THROWS_AS(tp::max(none), std::invalid_argument);
  CHECK_THROWS_AS(tp::minmax(none), std::invalid_argument);
  CHECK_THROWS_AS(tp::argmin(none), std::invalid_argument);
  CHECK_THROWS_AS(tp::argmax(tp::any_tensor{none}), std::invalid_argument);
  CHECK(std::isnan(tp::var(tp::ones<float>(1))));
  CHECK(tp::var(tp::ones<float>(1), {.correction = 0}) == 0);
  CHECK(std::isinf(tp::var(tp::arange<float>(2), {.correction = 3})));
}

TEST_CASE("a dimension of no elements sums to zeros and has no extremes", "[reduction]") {
  const auto none = tp::empty<float>(3, 0);
  CHECK(tp::sum(none, 1).shape() == std::array<std::int64_t, 1>{3});
  CHECK(tp::sum(none, 1)[2] == 0);
  CHECK(tp::sum(none, 0).empty());
  CHECK(std::isnan(tp::mean(none, 1)[0]));
  CHECK_THROWS_AS(tp::max(none, 1), std::invalid_argument);
  CHECK_THROWS_AS(tp::sum(none, 2), std::out_of_range);
}

TEST_CASE("the default device of new tensors is nothing to results", "[reduction]") {
  tp::set_default_device("cuda");
  const tp::any_tensor t{tp::allocate_zeroed(24), tp::float32, {2, 3}};
  CHECK(tp::sum(t, 0).shape() == tp::dims{3});
  CHECK(tp::index_select(t, 0, t.to(tp::int64).select(1, 0)).numel() == 6);
  CHECK(t.clone().device().is_cpu());
  tp::set_default_device({});
}

TEST_CASE("dot refuses other lengths, ranks and dtypes", "[reduction]") {
  const tp::any_tensor three = tp::ones<float>(3);
  CHECK_THROWS_AS(tp::dot(tp::ones<float>(3), tp::ones<float>(4)), std::invalid_argument);
  CHECK_THROWS_AS(tp::dot(three, three.reshape({3, 1})), std::invalid_argument);
  CHECK_THROWS_AS(tp::dot(three, three.to(tp::float64)), std::invalid_argument);
}

TEST_CASE("reductions read packed, read-only and mapped elements", "[reduction]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", {0, 0x3F, 0x80, 0, 0, 0x40, 0, 0, 0});
  const auto t = tp::from_file<const tp::packed<float, std::endian::big>>(folder / "f", false, 2, {.offset = 1});
  CHECK(tp::sum(t) == 3);
  CHECK(tp::max(t) == 2);
  CHECK(tp::argmin(t) == 0);
  CHECK(tp::dot(t, tp::ones<float>(2)) == 3);
}

TEMPLATE_TEST_CASE("a sum of many extreme integers does not overflow on its way", "[reduction]", std::uint8_t, std::int8_t,
                   std::uint16_t, std::int16_t, std::int32_t, std::uint32_t) {
  using limits = std::numeric_limits<TestType>;
  for (const auto value : {limits::min(), limits::max()}) {
    for (const std::int64_t numel : {1, 127, 128, 129, 4'095, 32'768, 32'769, 100'003}) {
      const auto t = tp::full<TestType>({numel}, value);
      CHECK(tp::sum(t) == numel * std::int64_t{value});
      CHECK(tp::mean(t) == static_cast<double>(value));
    }
  }
}

TEMPLATE_TEST_CASE("every half float counts as what it converts to, wherever it stands", "[reduction]", tp::float16_t,
                   tp::bfloat16_t) {
  int different = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    std::array<TestType, 131> values{};
    const auto value = std::bit_cast<TestType>(static_cast<std::uint16_t>(bits));
    values[bits % 131] = value;
    const auto sum = tp::sum(tp::tensor_view<const TestType>{std::span{values}});
    const auto expected = static_cast<float>(value);
    different += sum == expected || (sum != sum && expected != expected) ? 0 : 1;
  }
  CHECK(different == 0);
}

TEMPLATE_TEST_CASE("every half float is compared by its value, among numbers of either sign", "[reduction]", tp::float16_t,
                   tp::bfloat16_t) {
  int different = 0;
  for (const auto other : {-2.0F, -0.0F, 0.0F, 2.0F}) {
    auto t = tp::full<TestType>({131}, static_cast<TestType>(other));
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      auto& place = t[bits % 131];
      const auto before = std::exchange(place, std::bit_cast<TestType>(static_cast<std::uint16_t>(bits)));
      const auto value = static_cast<float>(place);
      const auto low = static_cast<float>(tp::min(t));
      const auto high = static_cast<float>(tp::max(t));
      const bool is_nan = value != value;
      const bool is_right = is_nan ? low != low && high != high && tp::argmin(t) == bits % 131
                                   : low == std::min(value, other) && high == std::max(value, other);
      different += is_right ? 0 : 1;
      place = before;
    }
  }
  CHECK(different == 0);
}

TEST_CASE("a sum of bytes that are bool counts those that are not zero", "[reduction]") {
  support::bytes bytes(70'000);
  for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<std::uint8_t>(at);
  const tp::tensor_view<const tp::bool8_t> flags{reinterpret_cast<const tp::bool8_t*>(bytes.data()), {70'000}};
  CHECK(tp::sum(flags) == 70'000 - (70'000 + 255) / 256);
}
