#include <catch2/catch_test_macros.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {
/// Puts the defaults back when a test ends.
struct restored_defaults {
  ~restored_defaults() {
    tp::set_default_dtype(tp::float32);
    tp::set_default_device({});
  }
};
}  // namespace

TEST_CASE("the default dtype is float32 at first and decides where none is given", "[defaults]") {
  const restored_defaults restored;
  const support::temporary_folder folder;
  support::write_values(folder / "f", {1.5, 2.5, 3.5, 4.5});
  CHECK(tp::get_default_dtype() == tp::float32);
  const auto narrow = tp::from_file(folder / "f", false, 4);
  CHECK(narrow.dtype() == tp::float32);
  CHECK(narrow.as<float>()[0] == 0.0F);     // the lower half of 1.5
  CHECK(narrow.as<float>()[1] == 1.9375F);  // the upper half
  tp::set_default_dtype(tp::float64);
  const auto wide = tp::from_file(folder / "f", false, 4);
  CHECK(wide.dtype() == tp::float64);
  CHECK(wide.as<double>()[3] == 4.5);
  CHECK(tp::zeros({1}).dtype() == tp::float64);
}

TEST_CASE("only floating-point dtypes can be the default", "[defaults]") {
  const restored_defaults restored;
  for (const auto type : {tp::bool_, tp::int64, tp::uint8, tp::complex64}) {
    CHECK_THROWS_AS(tp::set_default_dtype(type), std::invalid_argument);
  }
  for (const auto type : {tp::float16, tp::bfloat16, tp::float64}) {
    tp::set_default_dtype(type);
    CHECK(tp::get_default_dtype() == type);
  }
}

TEST_CASE("the default dtype may be set from any thread and holds in all", "[defaults]") {
  const restored_defaults restored;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([] {
      for (int round = 0; round < 1000; ++round) {
        tp::set_default_dtype(round % 2 == 0 ? tp::float64 : tp::float16);
        static_cast<void>(tp::get_default_dtype());
      }
      tp::set_default_dtype(tp::bfloat16);
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(tp::get_default_dtype() == tp::bfloat16);
}

TEST_CASE("the default device belongs to one thread and an explicit one wins", "[defaults]") {
  const restored_defaults restored;
  const support::temporary_folder folder;
  support::write_values(folder / "f", {1.0F});
  CHECK(tp::get_default_device() == tp::device{"cpu"});
  tp::set_default_device("cuda:1");
  CHECK(tp::get_default_device() == tp::device{"cuda:1"});
  CHECK_THROWS_AS(tp::from_file(folder / "f", false, 1), std::invalid_argument);
  CHECK_THROWS_AS(tp::from_file<float>(folder / "f", false, 1), std::invalid_argument);
  CHECK_THROWS_AS(tp::zeros<float>(1), std::invalid_argument);
  CHECK(tp::from_file<float>(folder / "f", false, 1, {.device = "cpu:0"})[0] == 1.0F);
  bool other_thread_has_cpu = false;
  std::thread{[&] { other_thread_has_cpu = tp::get_default_device().is_cpu(); }}.join();
  CHECK(other_thread_has_cpu);
}
