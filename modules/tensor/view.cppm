module;
#include <cassert>
#include <version>
#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif
#if !defined(__clang__)
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ranges>
#include <span>
#include <string_view>
#endif

export module tensorplay.tensor:view;

import tensorplay.standard;
import tensorplay.storage;
import :any_view;
import :element;
import :iterator;
import :packed;
import :scalar;
import :shape;
import :strides;
import :traits;

namespace tensorplay {

/// Where elements stand in a storage: from the first byte of the first to the last byte of the last.
struct byte_range {
  std::int64_t offset_bytes;
  std::int64_t nbytes;
};
byte_range bytes_of(const storage& bytes, const any_view& elements) noexcept;

/// Writes elements in row-major order, their bytes as they are, to a file that is replaced in one step.
///
/// bytes     where the elements stand, if it is known: a file that is truncated meanwhile then is an error.
void save_elements(const std::filesystem::path& filename, const storage& bytes, const any_view& elements,
                   const replacement_options& options);

/// Says that a view of strided elements cannot be made, and what makes one.
[[noreturn]] void throw_not_contiguous(std::string_view operation, std::span<const std::int64_t> shape,
                                       std::span<const std::int64_t> strides);

/// Copies elements, which are repeated where the destination has more and converted where it has others.
///
/// owner     the storage of the destination, where it is known: large private and shared mappings then are not written page by page.
void copy_elements(const any_view& from, const any_view& to, const storage* owner = nullptr);

/// Writes one value to all elements; owner as of copy_elements.
void fill_elements(const any_view& to, const scalar& value, const storage* owner = nullptr);

template <std::size_t Rank>
constexpr auto without(const std::array<std::int64_t, Rank>& values, std::size_t dimension) noexcept {
  std::array<std::int64_t, Rank - 1> rest{};
  for (std::size_t at = 0; at + 1 < Rank; ++at) rest[at] = values[at < dimension ? at : at + 1];
  return rest;
}

template <std::size_t Rank>
constexpr auto with(const std::array<std::int64_t, Rank>& values, std::size_t dimension, std::int64_t value) noexcept {
  std::array<std::int64_t, Rank + 1> more{};
  for (std::size_t at = 0; at <= Rank; ++at) more[at] = at == dimension ? value : values[at < dimension ? at : at - 1];
  return more;
}

}  // namespace tensorplay

export namespace tensorplay {

/// How much a tensor's type says of where its elements stand.
enum class memory_format : std::uint8_t {
  contiguous,  ///< row-major without gaps: iterators are pointers, span() works
  strided,     ///< a stride for each dimension, known at run time
};

/// Elements that somebody else keeps alive: a tensor without a share of its storage, as std::span is to std::vector.
///
/// Constness is that of a span: a const view of T gives T&; a view of T const never gives a T&. Indices are elements, from zero.
/// Lifetime  that of the storage. Trivially copyable.
/// Threads   distinct elements at once; the same element needs the caller's lock or a std::atomic_ref.
template <element T, std::size_t Rank = 1, memory_format Format = memory_format::contiguous>
class tensor_view {
  static_assert(Rank <= max_rank);

 public:
  using element_type = T;
  using value_type = traits::mutable_of<T>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using dims_array = std::array<std::int64_t, Rank>;
  using iterator = traits::choose<Format == memory_format::contiguous, T*, strided_iterator<T, Rank>>;
  using strided = tensor_view<T, Rank, memory_format::strided>;
  static constexpr bool always_contiguous = Format == memory_format::contiguous;

  /// The view of the same bytes that view_as<U>() gives; const where this one is.
  template <element U>
  using as_element = tensor_view<traits::choose<traits::constant<T>, const U, U>, Rank, Format>;

  /// No elements.
  constexpr tensor_view() noexcept = default;

  /// Row-major elements from first on; the caller answers for their number.
  constexpr tensor_view(T* first, const dims_array& shape) noexcept
      : data_{first}, shape_{shape}, strides_{contiguous_strides(shape)} {}

  /// All elements of a span.
  constexpr explicit tensor_view(std::span<T> elements) noexcept
    requires(Rank == 1)
      : tensor_view{elements.data(), {static_cast<std::int64_t>(elements.size())}} {}

  /// Elements at multiples of the strides; the caller answers for them.
  constexpr tensor_view(T* first, const dims_array& shape, const dims_array& strides) noexcept
    requires(!always_contiguous)
      : data_{first}, shape_{shape}, strides_{strides} {}

  /// Adds const, or forgets that the elements are contiguous.
  template <element U, memory_format Other>
    requires(traits::same<T, U> || traits::same<T, const U>) && (Other == memory_format::contiguous || !always_contiguous)
  constexpr tensor_view(const tensor_view<U, Rank, Other>& other) noexcept
      : data_{other.data()}, shape_{other.shape()}, strides_{other.strides()} {}

  /// Learns that the elements are contiguous.
  ///
  /// Errors    std::invalid_argument: they are not.
  template <element U>
    requires(traits::same<T, U> || traits::same<T, const U>) && always_contiguous
  constexpr tensor_view(const tensor_view<U, Rank, memory_format::strided>& other)
      : data_{other.data()}, shape_{other.shape()}, strides_{contiguous_strides(other.shape())} {
    if (!other.is_contiguous()) throw_not_contiguous("a contiguous tensor", other.shape(), other.strides());
  }

  static constexpr std::size_t dim() noexcept { return Rank; }
  constexpr const dims_array& shape() const noexcept { return shape_; }

  /// Elements, not bytes, from one index of a dimension to the next.
  constexpr const dims_array& strides() const noexcept { return strides_; }

  constexpr std::int64_t numel() const noexcept {
    std::int64_t count = data_ != nullptr || Rank > 0 ? 1 : 0;
    for (const auto extent : shape_) count *= extent;
    return count;
  }
  constexpr std::size_t size() const noexcept { return static_cast<std::size_t>(numel()); }
  constexpr bool empty() const noexcept { return numel() == 0; }
  constexpr std::int64_t nbytes() const noexcept { return numel() * static_cast<std::int64_t>(sizeof(T)); }

  /// The first element; null when default-constructed.
  constexpr T* data() const noexcept { return data_; }

  constexpr bool is_contiguous() const noexcept { return always_contiguous || is_row_major(shape_, strides_); }

  /// All elements in order.
  constexpr std::span<T> span() const noexcept
    requires always_contiguous
  {
    return {data_, size()};
  }

#if defined(__cpp_lib_mdspan)
  /// The elements as a std::mdspan, whose layout is layout_right where the type says that they are contiguous, else layout_stride.
  constexpr auto mdspan() const noexcept {
    using extents = std::dextents<std::int64_t, Rank>;
    if constexpr (always_contiguous) {
      return std::mdspan<T, extents>{data_, extents{shape_}};
    } else {
      return std::mdspan<T, extents, std::layout_stride>{data_, {extents{shape_}, strides_}};
    }
  }
#endif

  /// The element at these indices; not checked in release builds.
  template <traits::counting... Index>
    requires(sizeof...(Index) == Rank)
  constexpr T& operator()(Index... index) const noexcept {
    const dims_array at{static_cast<std::int64_t>(index)...};
    assert(contains(at));
    return data_[offset_of(at)];
  }

  /// The element, or with more than one dimension the view, at this index of the first dimension; not checked in release builds.
  template <traits::counting Index>
    requires(Rank > 0)
  constexpr decltype(auto) operator[](Index index) const noexcept {
    const auto at = static_cast<std::int64_t>(index);
    assert(at >= 0 && at < shape_[0]);
    if constexpr (Rank == 1) {
      return static_cast<T&>(data_[always_contiguous ? at : at * strides_[0]]);
    } else {
      // a row of two dimensions ends where the next begins: of contiguous elements the optimiser sees it from the shape
      const auto row = always_contiguous && Rank == 2 ? shape_[1] : strides_[0];
      return tensor_view<T, Rank - 1, Format>::from_parts(data_ + at * row, without(shape_, 0), without(strides_, 0));
    }
  }

  /// The element at these indices.
  ///
  /// Errors    std::out_of_range: an index that is negative or not below the shape.
  template <traits::counting... Index>
    requires(sizeof...(Index) == Rank)
  constexpr T& at(Index... index) const {
    const dims_array at{static_cast<std::int64_t>(index)...};
    for (std::size_t dimension = 0; dimension < Rank; ++dimension) {
      if (at[dimension] < 0 || at[dimension] >= shape_[dimension]) throw_out_of_range(at[dimension], dimension, shape_);
    }
    if (data_ == nullptr) throw_out_of_range(0, 0, shape_);
    return data_[offset_of(at)];
  }

  constexpr iterator begin() const noexcept { return iterator_at(0); }
  constexpr iterator end() const noexcept { return iterator_at(numel()); }

  /// The view that (*this)[index] gives.
  ///
  /// Errors    std::out_of_range: an index that is not there; negative ones count from the end.
  constexpr auto row(std::int64_t index) const
    requires(Rank > 1)
  {
    return (*this)[resolve_index(index, 0, shape_)];
  }

  /// The views (*this)[0], (*this)[1] and so on.
  constexpr row_range<tensor_view> rows() const noexcept
    requires(Rank > 1)
  {
    return row_range<tensor_view>{*this};
  }

  /// The same elements in another shape; one dimension may be -1 and is taken from numel(). Nothing is copied.
  ///
  /// Errors    std::invalid_argument: another number of elements, or elements that no strides reach in this order: clone() them.
  template <std::size_t NewRank>
  constexpr tensor_view<T, NewRank, Format> reshape(std::array<std::int64_t, NewRank> shape) const {
    std::array<std::int64_t, NewRank> strides{};
    if (!always_contiguous || !reshape_row_major(numel(), shape, shape, strides))
      reshape_strides(shape_, strides_, shape, strides);
    return tensor_view<T, NewRank, Format>::from_parts(data_, shape, strides);
  }
  template <std::size_t NewRank>
  constexpr tensor_view<T, NewRank, Format> reshape(const std::int64_t (&shape)[NewRank]) const {
    return reshape(traits::to_array(shape));
  }
  template <traits::counting... Extent>
  constexpr tensor_view<T, sizeof...(Extent), Format> reshape(Extent... extent) const {
    return reshape(std::array<std::int64_t, sizeof...(Extent)>{static_cast<std::int64_t>(extent)...});
  }

  /// The same elements in one dimension.
  ///
  /// Errors    std::invalid_argument: elements that no one stride reaches.
  constexpr tensor_view<T, 1, Format> flatten() const { return reshape(numel()); }

  /// Python's start:stop:step of one dimension; negative numbers count from the end, all are clamped.
  ///
  /// Errors    std::out_of_range: no such dimension. std::invalid_argument: step is not positive.
  constexpr strided slice(std::int64_t dimension, std::int64_t start = 0, std::int64_t stop = slice_end,
                          std::int64_t step = 1) const
    requires(Rank > 0)
  {
    strided view = *this;
    view.skip(slice_strides(view.shape_, view.strides_, dimension, start, stop, step));
    return view;
  }

  /// One index of one dimension, which is dropped; negative numbers count from the end.
  ///
  /// Errors    std::out_of_range: no such dimension or index.
  constexpr tensor_view<T, Rank - 1, memory_format::strided> select(std::int64_t dimension, std::int64_t index) const
    requires(Rank > 0)
  {
    const auto at = resolve_dimension(dimension, shape_);
    strided view = *this;
    view.skip(resolve_index(index, at, shape_) * strides_[at]);
    return {view.data_, without(shape_, at), without(strides_, at)};
  }

  /// length indices of one dimension from start on; a negative start counts from the end, nothing is clamped.
  ///
  /// Errors    std::out_of_range: no such dimension, or a range that is not within it.
  constexpr strided narrow(std::int64_t dimension, std::int64_t start, std::int64_t length) const
    requires(Rank > 0)
  {
    strided view = *this;
    view.skip(narrow_strides(view.shape_, view.strides_, dimension, start, length));
    return view;
  }

  /// The dimensions in another order: `t.permute(2, 0, 1)`.
  ///
  /// Errors    std::invalid_argument: a dimension is named twice. std::out_of_range: no such dimension.
  template <traits::counting... Dimension>
    requires(sizeof...(Dimension) == Rank)
  constexpr strided permute(Dimension... dimension) const {
    dims_array order{static_cast<std::int64_t>(dimension)...};
    strided view = *this;
    permute_strides(order, view.shape_, view.strides_);
    return view;
  }

  /// Two dimensions swapped.
  ///
  /// Errors    std::out_of_range: no such dimension.
  constexpr strided transpose(std::int64_t first, std::int64_t second) const {
    strided view = *this;
    transpose_strides(view.shape_, view.strides_, first, second);
    return view;
  }

  /// Without that dimension, which has one element.
  ///
  /// Errors    std::out_of_range: no such dimension. std::invalid_argument: it has more elements, or none.
  constexpr tensor_view<T, Rank - 1, Format> squeeze(std::int64_t dimension) const
    requires(Rank > 0)
  {
    const auto at = squeezed_dimension(shape_, dimension);
    return tensor_view<T, Rank - 1, Format>::from_parts(data_, without(shape_, at), without(strides_, at));
  }

  /// With a dimension of one element in front of that one; -1 puts it last.
  ///
  /// Errors    std::out_of_range: no such place.
  constexpr tensor_view<T, Rank + 1, Format> unsqueeze(std::int64_t dimension) const {
    const auto at = unsqueezed_dimension(shape_, dimension);
    return tensor_view<T, Rank + 1, Format>::from_parts(data_, with(shape_, at, 1),
                                                        with(strides_, at, at < Rank ? strides_[at] * shape_[at] : 1));
  }

  /// Dimensions of one element repeated, and new ones added in front, without a copy: their strides are zero. -1 keeps an extent.
  ///
  /// Errors    std::invalid_argument: a dimension of several elements would change.
  template <traits::counting... Extent>
    requires(sizeof...(Extent) >= Rank)
  constexpr tensor_view<T, sizeof...(Extent), memory_format::strided> expand(Extent... extent) const {
    std::array<std::int64_t, sizeof...(Extent)> shape{static_cast<std::int64_t>(extent)...};
    std::array<std::int64_t, sizeof...(Extent)> strides{};
    expand_strides(shape_, strides_, shape, strides);
    return {data_, shape, strides};
  }

  /// The same bytes as elements of another type; the last dimension takes the change in size.
  ///
  /// The compiler may assume that a store through one type changes no element of another: do not mix both in one loop.
  /// Errors    std::invalid_argument: bytes that make no whole elements, a last dimension with gaps, an address that U cannot have.
  template <element U>
  constexpr as_element<U> view_as() const {
    auto shape = shape_;
    auto strides = strides_;
    retype_strides(shape, strides, sizeof(T), sizeof(U), reinterpret_cast<const std::byte*>(data_), alignof(U));
    using to = typename as_element<U>::element_type;
    return as_element<U>::from_parts(reinterpret_cast<to*>(data_), shape, strides);
  }

  /// Writes the elements of source, converted as by to<T>() and repeated as by expand().
  ///
  /// Elements that overlap are read before they are written.
  /// Errors    std::invalid_argument: a shape that cannot be expanded to this one, complex numbers for a real T, an expanded view
  ///           as destination. Nothing is written then.
  const tensor_view& copy_(const any_view& source) const
    requires(!traits::constant<T>)
  {
    copy_elements(source, *this);
    return *this;
  }

  /// Writes one value to all elements.
  ///
  /// Errors    std::invalid_argument: a value outside the range of T. Nothing is written then.
  const tensor_view& fill_(const scalar& value) const
    requires(!traits::constant<T>)
  {
    fill_elements(*this, value);
    return *this;
  }

  /// Writes zero to all elements.
  const tensor_view& zero_() const
    requires(!traits::constant<T>)
  {
    return fill_(0);
  }

  /// Writes the elements in row-major order, their bytes as they are and without a header, as numpy.ndarray.tofile does.
  ///
  /// The file is written beside the old one and renamed over it: whoever has the old one mapped, this tensor included, loses no
  /// byte, and a crash leaves the old file or the new one.
  /// options   .durable = false does not wait for the disk; .overwrite = false refuses a file that is there; .append = true keeps its
  ///           content in front.
  /// Errors    std::invalid_argument: the filename. storage_error: not a regular file, or the system refuses; the file is as it was.
  void tofile(const std::filesystem::path& filename, replacement_options options = {}) const {
    save_elements(filename, storage{}, *this, options);
  }

 private:
  template <element, std::size_t, memory_format>
  friend class tensor_view;

  static constexpr tensor_view from_parts(T* first, const dims_array& shape, const dims_array& strides) noexcept {
    tensor_view view;
    view.data_ = first;
    view.shape_ = shape;
    view.strides_ = strides;
    return view;
  }

  constexpr iterator iterator_at(std::int64_t position) const noexcept {
    if constexpr (always_contiguous) {
      return data_ + position;
    } else {
      return {data_, shape_, strides_, position};
    }
  }

  constexpr void skip(std::int64_t elements) noexcept {
    if (data_ != nullptr) data_ += elements;
  }

  constexpr bool contains(const dims_array& at) const noexcept {
    bool inside = data_ != nullptr;
    for (std::size_t dimension = 0; dimension < Rank; ++dimension) {
      inside = inside && at[dimension] >= 0 && at[dimension] < shape_[dimension];
    }
    return inside;
  }

  constexpr std::int64_t offset_of(const dims_array& at) const noexcept {
    std::int64_t offset = 0;
    for (std::size_t dimension = 0; dimension < Rank; ++dimension) {
      // of contiguous elements the shape alone is used: the optimiser then sees that a row ends where the next one begins
      offset = always_contiguous ? offset * shape_[dimension] + at[dimension] : offset + at[dimension] * strides_[dimension];
    }
    return offset;
  }

  T* data_ = nullptr;
  dims_array shape_{};
  dims_array strides_{};
};

}  // namespace tensorplay

template <tensorplay::element T, std::size_t Rank, tensorplay::memory_format Format>
inline constexpr bool std::ranges::enable_borrowed_range<tensorplay::tensor_view<T, Rank, Format>> = true;
template <tensorplay::element T, std::size_t Rank, tensorplay::memory_format Format>
inline constexpr bool std::ranges::enable_view<tensorplay::tensor_view<T, Rank, Format>> = true;
