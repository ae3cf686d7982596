module;
#if !defined(__clang__)
#include <cstdint>
#include <iosfwd>
#include <string_view>
#endif

export module tensorplay.tensor:layout;

import tensorplay.standard;

export namespace tensorplay {

/// PyTorch's layouts. Tensors here are strided; the others can be named, so that they can be refused by name.
enum class layout : std::uint8_t { strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged };

inline constexpr layout strided = layout::strided;
inline constexpr layout sparse_coo = layout::sparse_coo;
inline constexpr layout sparse_csr = layout::sparse_csr;
inline constexpr layout sparse_csc = layout::sparse_csc;
inline constexpr layout sparse_bsr = layout::sparse_bsr;
inline constexpr layout sparse_bsc = layout::sparse_bsc;
inline constexpr layout jagged = layout::jagged;

/// "strided", "sparse_coo" and so on.
std::string_view name(layout arrangement);

/// Prints the name.
std::ostream& operator<<(std::ostream& out, layout arrangement);

}  // namespace tensorplay
