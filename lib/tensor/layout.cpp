module;
#include <ostream>
#include <string_view>

module tensorplay.tensor;

namespace tensorplay {

std::string_view name(layout arrangement) {
  switch (arrangement) {
    case layout::strided: return "strided";
    case layout::sparse_coo: return "sparse_coo";
    case layout::sparse_csr: return "sparse_csr";
    case layout::sparse_csc: return "sparse_csc";
    case layout::sparse_bsr: return "sparse_bsr";
    case layout::sparse_bsc: return "sparse_bsc";
    case layout::jagged: return "jagged";
  }
  return "unknown layout";
}

std::ostream& operator<<(std::ostream& out, layout arrangement) { return out << name(arrangement); }

}  // namespace tensorplay
