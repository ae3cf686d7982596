module;
#include <cstddef>
#include <cstdint>
#include <span>

export module tensorplay.functional:indexing;

import tensorplay.tensor;

export namespace tensorplay::inline functional {

/// The given indices of one dimension, copied in that order; an index may come several times.
///
/// indices   one dimension of int32 or int64; not negative.
/// Shape     that of elements, with indices.numel() in the dimension.
/// Errors    std::out_of_range: no such dimension, or an index that is not there; it is named, and nothing is copied.
///           std::invalid_argument: indices of another rank or dtype. std::bad_alloc.
/// Source    tensorplay.index_select
any_tensor index_select(const any_view& elements, std::int64_t dimension, const any_view& indices);

/// The same with compile-time type and rank: `index_select(embeddings, 0, ids)`.
template <element T, std::size_t Rank, memory_format Format>
  requires(Rank > 0)
tensor<value_of<T>, Rank> index_select(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension,
                                       const any_view& indices) {
  return index_select(any_view{elements}, dimension, indices).template as<value_of<T>, Rank>();
}
template <element T, std::size_t Rank, memory_format Format, class Indices>
  requires(Rank > 0 && !typed_view<Indices>) && requires(const Indices& indices) { std::span<const std::int64_t>{indices}; }
tensor<value_of<T>, Rank> index_select(const tensor_view<T, Rank, Format>& elements, std::int64_t dimension,
                                       const Indices& indices) {
  return index_select(elements, dimension, any_view{tensor_view<const std::int64_t>{std::span<const std::int64_t>{indices}}});
}

}  // namespace tensorplay::inline functional
