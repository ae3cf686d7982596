module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

module tensorplay.functional;

namespace tensorplay::inline functional {
namespace {

/// The indices as int64, one behind the other; not copied where they are so already.
tensor<const std::int64_t> wide_indices(const any_view& indices) {
  const bool counts = indices.dtype() == int32 || indices.dtype() == int64;
  if (indices.dim() != 1 || !counts) {
    throw std::invalid_argument{"index_select: indices of one dimension and of int32 or int64 were wanted, found " +
                                std::string{name(indices.dtype())} + " and the shape " + shape_text(indices.shape())};
  }
  return any_tensor{storage{}, indices}.contiguous().to(int64).as<const std::int64_t>();
}

/// What an index selects from: rows at multiples of a step.
struct row_range {
  const std::byte* first;
  std::int64_t step_bytes;
  std::int64_t row_bytes;
  std::int64_t extent;
};

/// An index, read once: others may write to it where it stands in a shared mapping.
std::int64_t read_index(const std::int64_t& index) { return __atomic_load_n(&index, __ATOMIC_RELAXED); }

[[noreturn]] void throw_no_index(std::int64_t index, std::int64_t extent) {
  throw std::out_of_range{"index_select: indices from 0 to " + std::to_string(extent - 1) + " were wanted, found " +
                          std::to_string(index)};
}

std::int64_t checked_index(const std::int64_t& of, std::int64_t extent) {
  const auto index = read_index(of);
  if (index < 0 || index >= extent) throw_no_index(index, extent);
  return index;
}

/// Copies whole rows, each of which is asked for some rows before it is copied.
void copy_rows(std::byte* to, const row_range& from, std::span<const std::int64_t> rows) {
  constexpr std::size_t ahead = 16;
  constexpr std::int64_t line_bytes = 64;
  constexpr std::int64_t most_bytes = 16 * line_bytes;  // of a longer row the processor itself fetches the rest
  const auto fetched = std::min(from.row_bytes, most_bytes);
  for (std::size_t at = 0; at < rows.size(); ++at, to += from.row_bytes) {
    if (at + ahead < rows.size()) {
      const auto next = read_index(rows[at + ahead]);
      const auto* row = from.first + (next >= 0 && next < from.extent ? next : 0) * from.step_bytes;
      for (std::int64_t line = 0; line < fetched; line += line_bytes) __builtin_prefetch(row + line);
    }
    std::memcpy(to, from.first + checked_index(rows[at], from.extent) * from.step_bytes,
                static_cast<std::size_t>(from.row_bytes));
  }
}

/// Where the rows stand in their storage, if some of them are not in memory; a few are looked at.
std::vector<std::int64_t> cold_offsets(const storage& owner, const row_range& from, std::span<const std::int64_t> rows) {
  const auto offset_of = [&](const std::int64_t& row) {
    return from.first - owner.data() + checked_index(row, from.extent) * from.step_bytes;
  };
  constexpr std::size_t most_samples = 16;
  const auto step = std::max<std::size_t>(rows.size() / most_samples, 1);
  bool is_cold = false;
  for (std::size_t at = 0; at < rows.size() && !is_cold; at += step) {
    const auto found = residency(owner, offset_of(rows[at]), from.row_bytes);
    is_cold = found.resident_pages < found.pages;
  }
  std::vector<std::int64_t> offsets;
  if (is_cold) std::ranges::transform(rows, std::back_inserter(offsets), offset_of);
  return offsets;
}

/// Whether each row is one piece of native bytes.
bool is_plain_row(const any_view& elements) {
  return elements.encoding() == encoding::native && elements.select(0, 0).is_contiguous();
}

/// owner     the storage of the elements, or an empty one where it is not known.
any_tensor selected_indices(const any_view& elements, const storage& owner, std::int64_t dimension, const any_view& indices) {
  const auto at = resolve_dimension(dimension, elements.shape());
  const auto wanted = wide_indices(indices);
  const auto extent = elements.shape()[at];
  auto shape = elements.shape();
  shape[at] = wanted.numel();
  auto selected = empty(shape, {.dtype = elements.dtype(), .device = device{}});
  if (selected.numel() == 0) {
    for (const auto& index : wanted) checked_index(index, extent);
    return selected;
  }

  const auto step_bytes = elements.strides()[at] * itemsize(elements.dtype());
  const auto row_bytes = selected.nbytes() / wanted.numel();
  if (at == 0 && extent > 0 && is_plain_row(elements)) {
    const row_range from{elements.data(), step_bytes, row_bytes, extent};
    const auto offsets = owner.nbytes() > 0 ? cold_offsets(owner, from, wanted.span()) : std::vector<std::int64_t>{};
    const scattered_read cold{owner, offsets, row_bytes};
    copy_rows(selected.mutable_data(), from, wanted.span());
    return selected;
  }
  for (std::int64_t to = 0; to < wanted.numel(); ++to) {
    selected.select(dimension, to).copy_(elements.select(dimension, checked_index(wanted[to], extent)));
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
