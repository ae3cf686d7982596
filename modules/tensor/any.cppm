module;
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>

export module tensorplay.tensor:any;

import tensorplay.storage;
import :device;
import :dtype;
import :element;
import :layout;
import :shape;
import :traits;
import :typed;
import :view;

export namespace tensorplay {

/// A tensor whose dtype and rank are known at run time; as<T, Rank>() and visit() lead to the typed one.
///
/// Copies share the elements. A default-constructed or moved-from any_tensor has no elements, dtype float32 and shape (0,).
/// Lifetime  the elements live until the last tensor that shares them is gone.
class any_tensor {
 public:
  any_tensor() noexcept = default;

  /// Row-major elements of a storage.
  ///
  /// offset_bytes  where the first element stands in the storage.
  /// Errors        std::invalid_argument: the storage holds fewer bytes, or the first element would not be aligned.
  any_tensor(tensorplay::storage bytes, tensorplay::dtype type, const dims& shape, std::int64_t offset_bytes = 0);

  /// The same elements, their type and rank forgotten.
  template <element T, std::size_t Rank, memory_format Format>
  any_tensor(const tensor<T, Rank, Format>& typed)
      : storage_{typed.storage()},
        first_{reinterpret_cast<const std::byte*>(typed.data())},
        dtype_{dtype_of<T>},
        writable_{!traits::constant<T>},
        shape_{typed.shape()},
        strides_{typed.strides()} {}

  any_tensor(const any_tensor&) = default;
  any_tensor& operator=(const any_tensor&) = default;
  any_tensor(any_tensor&& other) noexcept : any_tensor{} { swap(other); }
  any_tensor& operator=(any_tensor&& other) noexcept {
    any_tensor taken{static_cast<any_tensor&&>(other)};
    swap(taken);
    return *this;
  }
  ~any_tensor() = default;

  tensorplay::dtype dtype() const noexcept { return dtype_; }
  tensorplay::layout layout() const noexcept { return tensorplay::layout::strided; }
  tensorplay::device device() const noexcept { return {}; }
  std::int64_t dim() const noexcept { return static_cast<std::int64_t>(shape_.size()); }
  const dims& shape() const noexcept { return shape_; }

  /// Elements, not bytes, from one index of a dimension to the next.
  const dims& strides() const noexcept { return strides_; }

  std::int64_t numel() const noexcept;
  std::int64_t nbytes() const noexcept;

  /// The bytes of the first element; null without elements.
  const std::byte* data() const noexcept { return first_; }

  /// Whether as<T>() gives a T that may be written.
  bool is_writable() const noexcept { return writable_; }
  bool is_contiguous() const noexcept { return is_row_major(shape_, strides_); }

  const tensorplay::storage& storage() const noexcept { return storage_; }
  std::filesystem::path filename() const { return storage_.filename(); }
  bool is_shared() const noexcept { return storage_.is_shared(); }
  void flush() const { storage_.flush(); }

  /// See tensor_view::tofile.
  void tofile(const std::filesystem::path& filename) const;

  /// The same elements with their type.
  ///
  /// Errors    std::invalid_argument: another dtype or rank; a T that is not const of a read-only tensor; elements that are not
  ///           contiguous where Format says so.
  template <element T, std::size_t Rank = 1, memory_format Format = memory_format::contiguous>
  tensor<T, Rank, Format> as() const {
    require_typed(dtype_of<T>, Rank, !traits::constant<T>);
    std::array<std::int64_t, Rank> shape{};
    std::array<std::int64_t, Rank> strides{};
    for (std::size_t dimension = 0; dimension < Rank; ++dimension) {
      shape[dimension] = shape_[dimension];
      strides[dimension] = strides_[dimension];
    }
    // Casting const away is right here: first_ of a writable tensor came from a T* or from mutable_data().
    auto* first = reinterpret_cast<T*>(const_cast<std::byte*>(first_));
    return tensor<T, Rank, memory_format::strided>{storage_, {first, shape, strides}};
  }

  /// Calls function with the typed tensor of this rank, tensor<T const, Rank> when it is read-only, and returns what it returns.
  ///
  /// Errors    std::invalid_argument: another rank, or elements that are not contiguous.
  template <std::size_t Rank, class Function>
  decltype(auto) visit(Function&& function) const {
    return dispatch(dtype_, [&]<class T>() -> decltype(auto) {
      if (writable_) return function(as<T, Rank>());
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

  /// The same elements in another shape; one dimension may be -1 and is taken from numel().
  ///
  /// Errors    std::invalid_argument: another number of elements, or elements that are not contiguous.
  any_tensor reshape(dims shape) const;

  /// The same elements in one dimension.
  ///
  /// Errors    std::invalid_argument: elements that are not contiguous.
  any_tensor flatten() const { return reshape({numel()}); }

 private:
  void swap(any_tensor& other) noexcept;
  void require_typed(tensorplay::dtype type, std::size_t rank, bool writable) const;

  tensorplay::storage storage_;
  const std::byte* first_ = nullptr;
  tensorplay::dtype dtype_ = tensorplay::dtype::float32;
  bool writable_ = true;
  dims shape_{std::array<std::int64_t, 1>{0}};
  dims strides_{std::array<std::int64_t, 1>{1}};
};

}  // namespace tensorplay
