module;
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

module tensorplay.functional;

namespace tensorplay::inline functional {
namespace {

/// The indices as int64, all of them within the dimension.
tensor<std::int64_t> checked_indices(const any_view& indices, std::int64_t extent) {
  const bool counts = indices.dtype() == int32 || indices.dtype() == int64;
  if (indices.dim() != 1 || !counts) {
    throw std::invalid_argument{"index_select: indices of one dimension and of int32 or int64 were wanted, found " +
                                std::string{name(indices.dtype())} + " and the shape " + shape_text(indices.shape())};
  }
  const auto wide = any_tensor{storage{}, indices}.clone().to(int64).as<std::int64_t>();
  for (const auto index : wide.span()) {
    if (index < 0 || index >= extent) {
      throw std::out_of_range{"index_select: indices from 0 to " + std::to_string(extent - 1) + " were wanted, found " +
                              std::to_string(index)};
    }
  }
  return wide;
}

}  // namespace

any_tensor index_select(const any_view& elements, std::int64_t dimension, const any_view& indices) {
  const auto at = resolve_dimension(dimension, elements.shape());
  const auto wanted = checked_indices(indices, elements.shape()[at]);
  auto shape = elements.shape();
  shape[at] = wanted.numel();
  auto selected = empty(shape, {.dtype = elements.dtype(), .device = device{}});
  if (selected.numel() == 0) return selected;

  const auto row = elements.select(dimension, 0);
  const auto row_bytes = static_cast<std::size_t>(row.nbytes());
  const auto step = elements.strides()[at] * itemsize(elements.dtype());
  if (at == 0 && row.is_contiguous() && row.encoding() == encoding::native) {
    auto* to = selected.mutable_data();
    for (const auto index : wanted.span()) {
      std::memcpy(to, elements.data() + index * step, row_bytes);
      to += row_bytes;
    }
    return selected;
  }
  for (std::int64_t to = 0; to < wanted.numel(); ++to) {
    selected.select(dimension, to).copy_(elements.select(dimension, wanted[to]));
  }
  return selected;
}

}  // namespace tensorplay::inline functional
