module;
#if !defined(__clang__)
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#endif

export module tensorplay.tensor:any;

import tensorplay.standard;
import tensorplay.storage;
import :any_view;
import :device;
import :dtype;
import :element;
import :layout;
import :packed;
import :scalar;
import :shape;
import :traits;
import :typed;
import :view;

export namespace tensorplay {

/// A tensor whose dtype and rank are known at run time: an any_view that keeps its elements alive. as<T, Rank>() and visit() lead to
/// the typed one.
///
/// Copies and views share the elements. A default-constructed or moved-from any_tensor has no elements, dtype float32 and shape (0,).
/// Lifetime  the elements live until the last tensor that shares them is gone.
class any_tensor : public any_view {
 public:
  any_tensor() noexcept = default;

  /// Row-major elements of a storage.
  ///
  /// offset_bytes  where the first element stands in the storage.
  /// Errors        std::invalid_argument: the storage holds fewer bytes, or the first element would not be aligned.
  any_tensor(tensorplay::storage bytes, tensorplay::dtype type, const dims& shape, std::int64_t offset_bytes = 0);

  /// A view together with a share of the storage it looks at; the caller answers for the two belonging together.
  inline any_tensor(tensorplay::storage bytes, const any_view& elements) noexcept
      : any_view{elements}, storage_{static_cast<tensorplay::storage&&>(bytes)} {}

  /// The same elements, their type and rank forgotten.
  template <element T, std::size_t Rank, memory_format Format>
  any_tensor(const tensor<T, Rank, Format>& typed) : any_tensor{typed.storage(), any_view{typed.view()}} {}

  any_tensor(const any_tensor&) = default;
  any_tensor& operator=(const any_tensor&) = default;
  any_tensor(any_tensor&& other) noexcept : any_tensor{} { swap(other); }
  any_tensor& operator=(any_tensor&& other) noexcept {
    any_tensor taken{static_cast<any_tensor&&>(other)};
    swap(taken);
    return *this;
  }
  ~any_tensor() = default;

  /// The elements without the share of the storage.
  const any_view& view() const noexcept { return *this; }

  tensorplay::layout layout() const noexcept { return tensorplay::layout::strided; }
  tensorplay::device device() const noexcept { return {}; }

  const tensorplay::storage& storage() const noexcept { return storage_; }
  std::filesystem::path filename() const { return storage_.filename(); }
  bool is_shared() const noexcept { return storage_.is_shared(); }
  /// See tensor.
  void flush() const { flush_elements(storage_, *this); }
  bool is_stale() const { return storage_.is_stale(); }
  template <native_element U>
    requires(!traits::constant<U>)
  void read_checked(std::span<U> destination) const {
    read_elements(storage_, *this, tensor_view<U>{destination});
  }
  void tofile(const std::filesystem::path& filename, replacement_options options = {}) const {
    save_elements(filename, storage_, *this, options);
  }

  /// The same elements with their type.
  ///
  /// Errors    std::invalid_argument: another dtype or rank; a T that is not const of a read-only tensor; elements that are not
  ///           contiguous where Format says so.
  template <element T, std::size_t Rank = 1, memory_format Format = memory_format::contiguous>
  tensor<T, Rank, Format> as() const {
    require_typed(dtype_of<T>, encoding_of<T>, Rank, !traits::constant<T>);
    std::array<std::int64_t, Rank> of_shape{};
    std::array<std::int64_t, Rank> of_strides{};
    for (std::size_t dimension = 0; dimension < Rank; ++dimension) {
      of_shape[dimension] = shape()[dimension];
      of_strides[dimension] = strides()[dimension];
    }
    // Casting const away is right here: the address of a writable tensor came from a T* or from mutable_data().
    auto* first = reinterpret_cast<T*>(const_cast<std::byte*>(data()));
    return tensor<T, Rank, memory_format::strided>{storage_, {first, of_shape, of_strides}};
  }

  /// Calls function with the typed tensor of this rank, tensor<T const, Rank> when it is read-only, and returns what it returns.
  ///
  /// Errors    std::invalid_argument: another rank, elements that are not contiguous, or packed ones.
  template <std::size_t Rank, class Function>
  decltype(auto) visit(Function&& function) const {
    return dispatch(dtype(), [&]<class T>() -> decltype(auto) {
      if (is_writable()) return function(as<T, Rank>());
      return function(as<const T, Rank>());
    });
  }

  /// The same with all elements in one dimension, whatever the rank.
  ///
  /// Errors    std::invalid_argument: elements that are not contiguous.
  template <class Function>
  decltype(auto) visit(Function&& function) const {
    return flatten().template visit<1>(function);
  }

  // The views of any_view, each with its own share of the storage.
  any_tensor reshape(const dims& shape) const;
  any_tensor flatten() const { return {storage_, view().flatten()}; }
  any_tensor slice(std::int64_t dimension, std::int64_t start = 0, std::int64_t stop = slice_end, std::int64_t step = 1) const;
  any_tensor select(std::int64_t dimension, std::int64_t index) const;
  any_tensor row(std::int64_t index) const { return select(0, index); }
  any_tensor narrow(std::int64_t dimension, std::int64_t start, std::int64_t length) const;
  any_tensor permute(const dims& order) const { return {storage_, view().permute(order)}; }
  any_tensor transpose(std::int64_t first, std::int64_t second) const { return {storage_, view().transpose(first, second)}; }
  any_tensor squeeze() const { return {storage_, view().squeeze()}; }
  any_tensor squeeze(std::int64_t dimension) const { return {storage_, view().squeeze(dimension)}; }
  any_tensor unsqueeze(std::int64_t dimension) const { return {storage_, view().unsqueeze(dimension)}; }
  any_tensor expand(const dims& shape) const { return {storage_, view().expand(shape)}; }
  any_tensor view_as(tensorplay::dtype type) const { return {storage_, view().view_as(type)}; }

  /// A copy of the elements in memory of their own, row-major and native.
  ///
  /// Errors    std::bad_alloc. storage_error: the storage is_lost().
  any_tensor clone() const;

  /// The same elements row-major without gaps and native: this tensor if it has them so, or else a clone.
  any_tensor contiguous() const;

  /// The elements as another type, by the rules of tensor::to: this tensor if it has that dtype, or else a copy.
  any_tensor to(tensorplay::dtype type) const;

  /// See tensor; also std::invalid_argument: the elements are read-only.
  const any_tensor& copy_(const any_view& source) const;
  const any_tensor& fill_(const scalar& value) const;
  const any_tensor& zero_() const { return fill_(0); }

 private:
  any_tensor(const tensorplay::storage& bytes, const any_view& same, std::size_t rank);
  any_tensor(const tensorplay::storage& bytes, const any_view& same, used_dims) noexcept;

  void swap(any_tensor& other) noexcept;
  void require_typed(tensorplay::dtype type, tensorplay::encoding bytes, std::size_t rank, bool writable) const;

  tensorplay::storage storage_;
};

/// Says before the first touch whether the file still has all elements of a tensor: see verify of a storage. Of a view, the pages
/// that it spans are looked at.
void verify(const any_tensor& elements, verify_options options = {});

/// See residency, evict and prefetch of a storage: those of the pages that the elements span.
residency_counts residency(const any_tensor& elements);
void evict(const any_tensor& elements);
[[nodiscard]] prefetching prefetch(const any_tensor& elements);

}  // namespace tensorplay
