module;
#if !defined(__clang__)
#include <cstddef>
#include <cstdint>
#include <span>
#endif

export module tensorplay.functional:indexing;

import tensorplay.standard;
import tensorplay.tensor;

export namespace tensorplay::inline functional {

/// The given indices of one dimension, copied in that order; an index may come several times.
///
/// indices   one dimension of int32 or int64; not negative.
/// Shape     that of elements, with indices.numel() in the dimension.
/// Errors    std::out_of_range: no such dimension, or an index that is not there; it is named, and nothing is copied.
///           std::invalid_argument: indices of another rank or dtype. std::bad_alloc.
/// Cost      rows of a mapped tensor that are not in memory are asked for all at once; for views, whose storage is not known, one
///           after the other.
/// Source    tensorplay.index_select
any_tensor index_select(const any_view& elements, std::int64_t dimension, const any_view& indices);
any_tensor index_select(const any_tensor& elements, std::int64_t dimension, const any_view& indices);

/// The same with compile-time type and rank: `index_select(embeddings, 0, ids)`.
template <typed_view Elements>
  requires(Elements::dim() > 0)
auto index_select(const Elements& elements, std::int64_t dimension, const any_view& indices) {
  using selected = value_of<typename Elements::element_type>;
  if constexpr (requires { elements.storage(); }) {
    return index_select(any_tensor{elements}, dimension, indices).template as<selected, Elements::dim()>();
  } else {
    return index_select(any_view{elements}, dimension, indices).template as<selected, Elements::dim()>();
  }
}
template <typed_view Elements, class Indices>
  requires(Elements::dim() > 0 && !typed_view<Indices>) &&
          requires(const Indices& indices) { std::span<const std::int64_t>{indices}; }
auto index_select(const Elements& elements, std::int64_t dimension, const Indices& indices) {
  return index_select(elements, dimension, any_view{tensor_view<const std::int64_t>{std::span<const std::int64_t>{indices}}});
}

}  // namespace tensorplay::inline functional
