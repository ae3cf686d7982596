#include <catch2/catch_test_macros.hpp>
#include <stdexcept>
#include <string>

#include "support.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {
std::string refusal_of(const tp::from_file_options& options) {
  const support::temporary_folder folder;
  std::string text;
  try {
    tp::from_file(folder / "missing", true, 4, options);
  } catch (const std::invalid_argument& error) {
    text = error.what();
  }
  CHECK(folder.names().empty());
  return text;
}
}  // namespace

TEST_CASE("the documented refusals name what was wanted and found, and leave no file", "[options]") {
  CHECK(refusal_of({.pin_memory = true}).find("cannot be pinned") != std::string::npos);
  CHECK(refusal_of({.layout = tp::sparse_coo}) == "from_file: the layout strided was wanted, found sparse_coo");
  CHECK(refusal_of({.device = "cuda:1"}) == "from_file: the device cpu was wanted, found cuda:1");
  CHECK(refusal_of({.dtype = static_cast<tp::dtype>(99)}) == "a dtype was wanted, found the number 99");
}

TEST_CASE("arguments are judged in the documented order", "[options]") {
  const auto bad_dtype = static_cast<tp::dtype>(99);
  CHECK(refusal_of({.dtype = bad_dtype, .layout = tp::jagged, .device = "cuda", .pin_memory = true}).find("pin_memory") !=
        std::string::npos);
  CHECK(refusal_of({.dtype = bad_dtype, .layout = tp::jagged, .device = "cuda"}).find("layout") != std::string::npos);
  CHECK(refusal_of({.dtype = bad_dtype, .device = "cuda"}).find("device") != std::string::npos);
}

TEST_CASE("creation functions refuse what they cannot make", "[options]") {
  CHECK_THROWS_AS(tp::empty({2}, {.pin_memory = true}), std::invalid_argument);
  CHECK_THROWS_AS(tp::zeros({2}, {.layout = tp::sparse_csr}), std::invalid_argument);
  CHECK_THROWS_AS(tp::full({2}, 1, {.device = "cuda"}), std::invalid_argument);
  CHECK(tp::ones({2}, {.device = "cpu:3"}).device().is_cpu());
}
