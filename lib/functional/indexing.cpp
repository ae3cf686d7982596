module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

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

/// Copies whole rows, each of which is asked for some rows before it is copied.
void copy_rows(std::byte* to, const std::byte* first, std::int64_t step, std::int64_t row_bytes,
               std::span<const std::int64_t> rows) {
  constexpr std::size_t ahead = 16;
  constexpr std::int64_t line_bytes = 64;
  constexpr std::int64_t most_bytes = 16 * line_bytes;  // of a longer row the processor itself fetches the rest
  const auto fetched = std::min(row_bytes, most_bytes);
  for (std::size_t at = 0; at < rows.size(); ++at, to += row_bytes) {
    if (at + ahead < rows.size()) {
      const auto* next = first + rows[at + ahead] * step;
      for (std::int64_t line = 0; line < fetched; line += line_bytes) __builtin_prefetch(next + line);
    }
    std::memcpy(to, first + rows[at] * step, static_cast<std::size_t>(row_bytes));
  }
}

/// owner     the storage of the elements, or an empty one where it is not known.
any_tensor selected_indices(const any_view& elements, const storage& owner, std::int64_t dimension, const any_view& indices) {
  const auto at = resolve_dimension(dimension, elements.shape());
  const auto wanted = checked_indices(indices, elements.shape()[at]);
  auto shape = elements.shape();
  shape[at] = wanted.numel();
  auto selected = empty(shape, {.dtype = elements.dtype(), .device = device{}});
  if (selected.numel() == 0) return selected;

  const auto row = elements.select(dimension, 0);
  const auto step = elements.strides()[at] * itemsize(elements.dtype());
  if (at == 0 && row.is_contiguous() && row.encoding() == encoding::native) {
    std::vector<std::int64_t> offsets;
    if (owner.nbytes() > 0) {
      for (const auto index : wanted.span()) offsets.push_back(elements.data() - owner.data() + index * step);
    }
    const scattered_read cold{owner, offsets, row.nbytes()};
    copy_rows(selected.mutable_data(), elements.data(), step, row.nbytes(), wanted.span());
    return selected;
  }
  for (std::int64_t to = 0; to < wanted.numel(); ++to) {
    selected.select(dimension, to).copy_(elements.select(dimension, wanted[to]));
  }
  return selected;
}

}  // namespace

any_tensor index_select(const any_view& elements, std::int64_t dimension, const any_view& indices) {
  return selected_indices(elements, storage{}, dimension, indices);
}

any_tensor index_select(const any_tensor& elements, std::int64_t dimension, const any_view& indices) {
  return selected_indices(elements, elements.storage(), dimension, indices);
}

}  // namespace tensorplay::inline functional
