#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

import tensorplay.functional;

namespace tp = tensorplay;

namespace {
template <class Tensor>
std::vector<typename Tensor::value_type> values(const Tensor& tensor) {
  return {tensor.begin(), tensor.end()};
}
}  // namespace

TEST_CASE("a seed gives the same numbers with every compiler", "[random]") {
  tp::manual_seed(42);
  CHECK(values(tp::rand<double>(3)) == std::vector<double>{0x1.82a3befaddcbcp-1, 0x1.472f1f73724ap-1, 0x1.81192cfe1cbcfp-1});
  tp::manual_seed(42);
  CHECK(values(tp::randn<double>(4)) ==
        std::vector<double>{0x1.63484f0f9850ep-1, 0x1.9e550f30fcbd2p-1, -0x1.16a15bb1ac6ffp+1, -0x1.09870054b4d97p-2});
  tp::manual_seed(42);
  CHECK(values(tp::rand<float>(3)) == std::vector<float>{0x1.82a3bep-1F, 0x1.472f1ep-1F, 0x1.81192cp-1F});
  tp::manual_seed(42);
  CHECK(values(tp::randn<float>(4)) == std::vector<float>{0x1.979da6p-2F, -0x1.2cc112p+0F, 0x1.d4eb3p-1F, -0x1.77683cp-1F});
}

TEST_CASE("the run-time dtype draws the same numbers as the compile-time one", "[random]") {
  tp::manual_seed(7);
  const auto typed = values(tp::randn<double>(2, 5).flatten());
  tp::manual_seed(7);
  CHECK(values(tp::randn({2, 5}, {.dtype = tp::float64}).as<double, 2>().flatten()) == typed);
  tp::manual_seed(7);
  CHECK(tp::rand({2}).dtype() == tp::float32);
}

TEMPLATE_TEST_CASE("uniform numbers lie in [0, 1) and have the mean 1/2", "[random]", tp::float16_t, tp::bfloat16_t, float,
                   double) {
  tp::manual_seed(1);
  const auto t = tp::rand<TestType>(100'000);
  double sum = 0;
  for (const auto value : t) {
    const auto number = static_cast<double>(static_cast<float>(value));
    REQUIRE((number >= 0 && number < 1));
    sum += number;
  }
  // bfloat16 has eight bits and cuts them off: its mean lies 2^-9 lower
  CHECK(std::abs(sum / 100'000 - 0.5) < 0.006);
}

TEMPLATE_TEST_CASE("normal numbers have mean 0 and variance 1", "[random]", tp::float16_t, tp::bfloat16_t, float, double) {
  tp::manual_seed(2);
  const auto t = tp::randn<TestType>(200'000);
  double sum = 0;
  double squares = 0;
  for (const auto value : t) {
    const auto number = static_cast<double>(static_cast<float>(value));
    sum += number;
    squares += number * number;
  }
  CHECK(std::abs(sum / 200'000) < 0.01);
  CHECK(std::abs(squares / 200'000 - 1) < 0.02);
}

TEMPLATE_TEST_CASE("normal numbers lie where the density says, out to the tail and on both sides", "[random]", float, double) {
  constexpr std::int64_t numel = 4'000'000;
  tp::manual_seed(4);
  const auto t = tp::randn<TestType>(numel);
  for (const double bound : {-4.5, -3.6, -3.4426, -3.0, -1.0, -0.2723, -0.01, 0.0, 0.3, 1.5, 2.5, 3.5, 4.0}) {
    const auto below = std::ranges::count_if(t, [&](auto number) { return static_cast<double>(number) < bound; });
    const auto probability = std::erfc(-bound / std::sqrt(2.0)) / 2;
    const auto deviation = std::sqrt(static_cast<double>(numel) * probability * (1 - probability));
    INFO("below " << bound << ": " << below);
    CHECK(std::abs(static_cast<double>(below) - static_cast<double>(numel) * probability) < 4 * deviation);
  }
}

TEST_CASE("complex normal numbers have variance 1/2 in each part", "[random]") {
  tp::manual_seed(3);
  const auto t = tp::randn<std::complex<double>>(100'000);
  double real = 0;
  double imag = 0;
  for (const auto value : t) {
    real += value.real() * value.real();
    imag += value.imag() * value.imag();
  }
  CHECK(std::abs(real / 100'000 - 0.5) < 0.01);
  CHECK(std::abs(imag / 100'000 - 0.5) < 0.01);
  const auto uniform = tp::rand<std::complex<float>>(1000);
  CHECK(std::ranges::all_of(uniform, [](auto z) { return z.real() < 1 && z.imag() < 1 && z.real() >= 0 && z.imag() >= 0; }));
}

TEST_CASE("random integers are refused", "[random]") {
  CHECK_THROWS_AS(tp::rand({2}, {.dtype = tp::int64}), std::invalid_argument);
  CHECK_THROWS_AS(tp::randn({2}, {.dtype = tp::bool_}), std::invalid_argument);
}

TEST_CASE("threads may draw at the same time", "[random]") {
  std::vector<std::thread> threads;
  std::vector<double> means(4);
  for (std::size_t thread = 0; thread < means.size(); ++thread) {
    threads.emplace_back([&, thread] {
      double sum = 0;
      for (const auto value : tp::rand<double>(10'000)) sum += value;
      means[thread] = sum / 10'000;
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto mean : means) CHECK(std::abs(mean - 0.5) < 0.05);
}
