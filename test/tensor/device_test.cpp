#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

import tensorplay.tensor;

namespace tp = tensorplay;

static_assert(tp::device{}.is_cpu());

TEST_CASE("a device is read from text in any case and prints in lower case", "[device]") {
  CHECK(tp::device{"cpu"}.str() == "cpu");
  CHECK(tp::device{"CPU:3"}.str() == "cpu:3");
  CHECK(tp::device{"Cuda:1"}.str() == "cuda:1");
  CHECK(tp::device{std::string{"cuda"}}.str() == "cuda");
  CHECK(tp::device{"cuda:1"}.type() == tp::device::kind::cuda);
  CHECK(tp::device{"cuda:1"}.index() == std::optional<std::int32_t>{1});
  CHECK_FALSE(tp::device{"cuda"}.index().has_value());
  std::ostringstream out;
  out << tp::device{"cuda:1"};
  CHECK(out.str() == "cuda:1");
}

TEST_CASE("equal CPUs are equal whatever their index, CUDA devices by index", "[device]") {
  CHECK(tp::device{"cpu"} == tp::device{"cpu:3"});
  CHECK(tp::device{"cuda:1"} == tp::device{"cuda:1"});
  CHECK(tp::device{"cuda:1"} != tp::device{"cuda:2"});
  CHECK(tp::device{"cuda"} != tp::device{"cpu"});
}

TEST_CASE("any other text is refused", "[device]") {
  for (const auto* text : {"", "cpuxyz", "cuda:", "cuda:-1", "cuda:99999999999", "cuda:+1", "cuda: 1", "cuda:1 ", "cuda:1:2",
                           ":1", "gpu", "cpu:x", "cpu:0x1", " cpu"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(tp::device{text}, std::invalid_argument);
  }
}
