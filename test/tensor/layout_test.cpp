#include <catch2/catch_test_macros.hpp>
#include <sstream>
#include <string>

import tensorplay.tensor;

namespace tp = tensorplay;

TEST_CASE("a layout prints as PyTorch names it", "[layout]") {
  std::ostringstream out;
  for (const auto layout :
       {tp::strided, tp::sparse_coo, tp::sparse_csr, tp::sparse_csc, tp::sparse_bsr, tp::sparse_bsc, tp::jagged}) {
    out << layout << ' ';
  }
  CHECK(out.str() == "strided sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc jagged ");
}
