module;
#if !defined(__clang__)
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#endif

export module tensorplay.tensor:typed;

import tensorplay.standard;
import tensorplay.storage;
import :any_view;
import :dtype;
import :element;
import :shape;
import :traits;
import :view;

namespace tensorplay {

/// Memory for the elements of a shape.
storage allocate_elements(std::span<const std::int64_t> shape, std::int64_t itemsize);

/// Checks that a storage holds these elements, aligned.
void require_elements(const storage& bytes, std::int64_t offset_bytes, std::span<const std::int64_t> shape, std::int64_t itemsize,
                      std::size_t alignment);

/// Hands the pages of elements to the file system.
void flush_elements(const storage& bytes, const any_view& elements);

/// Copies elements out of a storage under a fault_guard.
void read_elements(const storage& bytes, const any_view& elements, const any_view& destination);

/// The first element behind offset_bytes; stores need a writable storage.
template <element T>
T* first_element(const storage& bytes, std::int64_t offset_bytes) {
  if constexpr (traits::constant<T>) {
    return reinterpret_cast<T*>(bytes.data() + offset_bytes);
  } else {
    return reinterpret_cast<T*>(bytes.mutable_data() + offset_bytes);
  }
}

}  // namespace tensorplay

export namespace tensorplay {

/// Elements of one type in a shape, and a share of the storage that holds them: a tensor_view that keeps its elements alive.
///
/// Copies and views share the elements; nothing is copied but the handle. A default-constructed or moved-from tensor has
/// no elements (with Rank 1 or more its shape is all zeros), and every call on it is safe. There is no resizing.
///
/// T         const: the elements cannot be written, and a file needs no right beyond reading.
/// Lifetime  the elements live until the last tensor that shares them is gone.
/// Cost      copies and views count one reference; element access is that of a pointer.
template <element T, std::size_t Rank = 1, memory_format Format = memory_format::contiguous>
class tensor : public tensor_view<T, Rank, Format> {
  using view_type = tensor_view<T, Rank, Format>;

 public:
  using typename view_type::dims_array;

  constexpr tensor() noexcept = default;

  /// Row-major elements of a storage.
  ///
  /// offset_bytes  where the first element stands in the storage.
  /// Errors        std::invalid_argument: the storage holds fewer bytes, is read-only while T is not const, or the first element
  ///               would not be aligned.
  tensor(tensorplay::storage bytes, const dims_array& shape, std::int64_t offset_bytes = 0)
    requires(Format == memory_format::contiguous)
  {
    require_elements(bytes, offset_bytes, shape, sizeof(T), alignof(T));
    elements() = view_type{first_element<T>(bytes, offset_bytes), shape};
    storage_ = static_cast<tensorplay::storage&&>(bytes);
  }

  /// A view together with a share of the storage it looks at; the caller answers for the two belonging together.
  tensor(tensorplay::storage bytes, const view_type& view) noexcept
      : view_type{view}, storage_{static_cast<tensorplay::storage&&>(bytes)} {}

  /// Adds const, or changes what the type says of contiguity.
  ///
  /// Errors    std::invalid_argument: elements that should be contiguous are not.
  template <element U, memory_format Other>
    requires(!traits::same<tensor<U, Rank, Other>, tensor>) &&
                requires(const tensor_view<U, Rank, Other>& view) { view_type{view}; }
  tensor(const tensor<U, Rank, Other>& other) : view_type{other.view()}, storage_{other.storage()} {}

  tensor(const tensor&) = default;
  tensor& operator=(const tensor&) = default;
  tensor(tensor&& other) noexcept
      : view_type{traits::replaced(other.elements(), view_type{})},
        storage_{static_cast<tensorplay::storage&&>(other.storage_)} {}
  tensor& operator=(tensor&& other) noexcept {
    tensor taken{static_cast<tensor&&>(other)};
    traits::exchange(elements(), taken.elements());
    traits::exchange(storage_, taken.storage_);
    return *this;
  }
  ~tensor() = default;

  /// The elements without the share of the storage.
  const view_type& view() const noexcept { return *this; }

  static constexpr tensorplay::dtype dtype() noexcept { return dtype_of<T>; }

  const tensorplay::storage& storage() const noexcept { return storage_; }

  /// The mapped path; empty for memory.
  std::filesystem::path filename() const { return storage_.filename(); }

  /// True for a shared mapping alone.
  bool is_shared() const noexcept { return storage_.is_shared(); }

  /// Hands the stores to these elements to the file system, in whole pages: of a view, those that it spans. See storage::flush.
  void flush() const { flush_elements(storage_, view()); }

  /// See storage::is_stale.
  bool is_stale() const { return storage_.is_stale(); }

  /// Copies the elements to others, in order and converted as by to<U>(): an error where an access would be a SIGBUS.
  ///
  /// Errors    std::invalid_argument: not numel() elements, complex numbers for a real type. storage_error: see
  ///           fault_guard::check(); destination then holds some of the elements.
  template <native_element U>
    requires(!traits::constant<U>)
  void read_checked(std::span<U> destination) const {
    read_elements(storage_, view(), tensor_view<U>{destination});
  }

  /// See tensor_view::tofile.
  ///
  /// Errors    also storage_error (truncated): the mapped file has lost elements meanwhile; nothing is saved then.
  void tofile(const std::filesystem::path& filename, replacement_options options = {}) const {
    save_elements(filename, storage_, view(), options);
  }

  /// See tensor_view::copy_.
  ///
  /// Errors    also storage_error: a sparse file that finds no space for its pages, or a device that fails; some elements then are written.
  const tensor& copy_(const any_view& source) const
    requires(!traits::constant<T>)
  {
    copy_elements(source, view(), &storage_);
    return *this;
  }

  /// See tensor_view::fill_; errors also as of copy_.
  const tensor& fill_(const scalar& value) const
    requires(!traits::constant<T>)
  {
    fill_elements(view(), value, &storage_);
    return *this;
  }
  const tensor& zero_() const
    requires(!traits::constant<T>)
  {
    return fill_(0);
  }

  // The views of tensor_view, each with its own share of the storage.
  auto row(std::int64_t index) const
    requires(Rank > 1)
  {
    return share(view().row(index));
  }
  template <class... Extents>
  auto reshape(Extents... extents) const {
    return share(view().reshape(extents...));
  }
  template <std::size_t NewRank>
  auto reshape(const std::int64_t (&shape)[NewRank]) const {
    return share(view().reshape(shape));
  }
  auto flatten() const { return share(view().flatten()); }
  auto slice(std::int64_t dimension, std::int64_t start = 0, std::int64_t stop = slice_end, std::int64_t step = 1) const
    requires(Rank > 0)
  {
    return share(view().slice(dimension, start, stop, step));
  }
  auto select(std::int64_t dimension, std::int64_t index) const
    requires(Rank > 0)
  {
    return share(view().select(dimension, index));
  }
  auto narrow(std::int64_t dimension, std::int64_t start, std::int64_t length) const
    requires(Rank > 0)
  {
    return share(view().narrow(dimension, start, length));
  }
  template <traits::counting... Dimension>
    requires(sizeof...(Dimension) == Rank)
  auto permute(Dimension... dimension) const {
    return share(view().permute(dimension...));
  }
  auto transpose(std::int64_t first, std::int64_t second) const { return share(view().transpose(first, second)); }
  auto squeeze(std::int64_t dimension) const
    requires(Rank > 0)
  {
    return share(view().squeeze(dimension));
  }
  auto unsqueeze(std::int64_t dimension) const { return share(view().unsqueeze(dimension)); }
  template <traits::counting... Extent>
    requires(sizeof...(Extent) >= Rank)
  auto expand(Extent... extent) const {
    return share(view().expand(extent...));
  }
  template <element U>
  auto view_as() const {
    return share(view().template view_as<U>());
  }

  /// A copy of the elements in memory of their own, row-major.
  ///
  /// Errors    std::bad_alloc. storage_error: the storage is_lost().
  tensor<traits::mutable_of<T>, Rank> clone() const { return copied<traits::mutable_of<T>>(); }

  /// The same elements row-major without gaps: this tensor if it has them so, or else a clone.
  tensor<T, Rank> contiguous() const {
    if (this->is_contiguous()) return *this;
    return clone();
  }

  /// The elements as another type: this tensor if it has that type and is contiguous, or else a copy.
  ///
  /// To a float type     rounded to the nearest, ties to even, from the exact value; too large is infinite.
  /// To an integer type  from floats: cut towards zero, the nearest limit where out of range, zero for NaN. From integers: modulo
  ///                     two to the number of bits.
  /// To bool8_t          whether it differs from zero, as NaN does.
  /// Errors              std::invalid_argument: complex numbers for a real type; view_as<float>() shows their parts. std::bad_alloc.
  ///                     storage_error: the storage is_lost().
  template <native_element U>
  tensor<U, Rank> to() const {
    if constexpr (traits::same<T, U>) {
      if (this->is_contiguous()) return *this;
    }
    return copied<U>();
  }

 private:
  view_type& elements() noexcept { return *this; }

  template <element U, std::size_t NewRank, memory_format NewFormat>
  tensor<U, NewRank, NewFormat> share(const tensor_view<U, NewRank, NewFormat>& view) const {
    return {storage_, view};
  }

  template <element U>
  tensor<U, Rank> copied() const {
    storage_.require_intact("copy");
    const tensor<U, Rank> copy{allocate_elements(this->shape(), sizeof(U)), this->shape()};
    if (!this->empty()) copy.copy_(view());
    return copy;
  }

  tensorplay::storage storage_;
};

/// See tensor::clone; for views, which cannot own what they copy.
template <element T, std::size_t Rank, memory_format Format>
tensor<traits::mutable_of<T>, Rank> clone(const tensor_view<T, Rank, Format>& elements) {
  return tensor<T, Rank, Format>{storage{}, elements}.clone();
}

/// See tensor::to; always a copy.
template <native_element U, element T, std::size_t Rank, memory_format Format>
tensor<U, Rank> to(const tensor_view<T, Rank, Format>& elements) {
  return tensor<const T, Rank, Format>{storage{}, tensor_view<const T, Rank, Format>{elements}}.template to<U>();
}

}  // namespace tensorplay
