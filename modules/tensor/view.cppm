module;
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <ranges>
#include <span>

export module tensorplay.tensor:view;

import :element;
import :iterator;
import :shape;
import :traits;

namespace tensorplay {

/// Writes elements in row-major order to a file that is replaced in one step.
void save_elements(const std::filesystem::path& filename, const std::byte* first, std::int64_t itemsize,
                   std::span<const std::int64_t> shape, std::span<const std::int64_t> strides);

/// Says that a view of strided elements cannot be made, and what makes one.
[[noreturn]] void throw_not_contiguous(const char* operation, std::span<const std::int64_t> shape,
                                       std::span<const std::int64_t> strides);

/// Checks that an order of dimensions names each of them once; counts negative ones from the end.
void resolve_permutation(std::span<std::int64_t> order, std::span<const std::int64_t> shape);

template <std::size_t Rank>
constexpr auto without(const std::array<std::int64_t, Rank>& values, std::size_t dimension) noexcept {
  std::array<std::int64_t, Rank - 1> rest{};
  for (std::size_t at = 0; at + 1 < Rank; ++at) rest[at] = values[at < dimension ? at : at + 1];
  return rest;
}

}  // namespace tensorplay

export namespace tensorplay {

/// How much a tensor's type says of where its elements stand.
enum class memory_format : std::uint8_t {
  contiguous,  ///< row-major without gaps: iterators are pointers, span() works
  strided,     ///< a stride for each dimension, known at run time
};

/// The start and the stop that slice takes where Python leaves them out.
inline constexpr std::int64_t slice_end = std::numeric_limits<std::int64_t>::max();

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
  static constexpr bool always_contiguous = Format == memory_format::contiguous;

  /// No elements.
  constexpr tensor_view() noexcept = default;

  /// Row-major elements from first on; the caller answers for their number.
  constexpr tensor_view(T* first, const dims_array& shape) noexcept
      : data_{first}, shape_{shape}, strides_{contiguous_strides(shape)} {}

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

  /// The same elements in another shape; one dimension may be -1 and is taken from numel().
  ///
  /// Errors    std::invalid_argument: another number of elements, or elements that are not contiguous.
  template <std::size_t NewRank>
  constexpr tensor_view<T, NewRank> reshape(std::array<std::int64_t, NewRank> shape) const {
    if (!is_contiguous()) throw_not_contiguous("reshape", shape_, strides_);
    resolve_shape(shape, numel());
    return {data_, shape};
  }
  template <std::size_t NewRank>
  constexpr tensor_view<T, NewRank> reshape(const std::int64_t (&shape)[NewRank]) const {
    return reshape(traits::to_array(shape));
  }
  template <traits::counting... Extent>
  constexpr tensor_view<T, sizeof...(Extent)> reshape(Extent... extent) const {
    return reshape(std::array<std::int64_t, sizeof...(Extent)>{static_cast<std::int64_t>(extent)...});
  }

  /// The same elements in one dimension.
  ///
  /// Errors    std::invalid_argument: elements that are not contiguous.
  constexpr tensor_view<T, 1> flatten() const { return reshape(numel()); }

  /// Python's start:stop:step of one dimension; negative numbers count from the end.
  ///
  /// Errors    std::out_of_range: no such dimension. std::invalid_argument: step is not positive.
  constexpr tensor_view<T, Rank, memory_format::strided> slice(std::int64_t dimension, std::int64_t start = 0,
                                                               std::int64_t stop = slice_end, std::int64_t step = 1) const
    requires(Rank > 0)
  {
    const auto at = resolve_dimension(dimension, shape_);
    const auto range = resolve_slice(start, stop, step, shape_[at]);
    auto shape = shape_;
    auto strides = strides_;
    shape[at] = range.length;
    strides[at] *= step;
    return {range.length == 0 ? data_ : data_ + range.start * strides_[at], shape, strides};
  }

  /// One index of one dimension, which is dropped; negative numbers count from the end.
  ///
  /// Errors    std::out_of_range: no such dimension or index.
  constexpr tensor_view<T, Rank - 1, memory_format::strided> select(std::int64_t dimension, std::int64_t index) const
    requires(Rank > 0)
  {
    const auto at = resolve_dimension(dimension, shape_);
    return {data_ + resolve_index(index, at, shape_) * strides_[at], without(shape_, at), without(strides_, at)};
  }

  /// The dimensions in another order: `t.permute(2, 0, 1)`.
  ///
  /// Errors    std::invalid_argument: a dimension is named twice. std::out_of_range: no such dimension.
  template <traits::counting... Dimension>
    requires(sizeof...(Dimension) == Rank)
  constexpr tensor_view<T, Rank, memory_format::strided> permute(Dimension... dimension) const {
    dims_array order{static_cast<std::int64_t>(dimension)...};
    resolve_permutation(order, shape_);
    dims_array shape{};
    dims_array strides{};
    for (std::size_t to = 0; to < Rank; ++to) {
      shape[to] = shape_[static_cast<std::size_t>(order[to])];
      strides[to] = strides_[static_cast<std::size_t>(order[to])];
    }
    return {data_, shape, strides};
  }

  /// Two dimensions swapped.
  ///
  /// Errors    std::out_of_range: no such dimension.
  constexpr tensor_view<T, Rank, memory_format::strided> transpose(std::int64_t first, std::int64_t second) const {
    auto shape = shape_;
    auto strides = strides_;
    const auto one = resolve_dimension(first, shape_);
    const auto other = resolve_dimension(second, shape_);
    traits::exchange(shape[one], shape[other]);
    traits::exchange(strides[one], strides[other]);
    return {data_, shape, strides};
  }

  /// Writes the elements in row-major order, in native byte order and without a header, as numpy.ndarray.tofile does.
  ///
  /// The file is written beside the old one and renamed over it: whoever has the old one mapped, this tensor included, loses no
  /// byte, and a crash leaves the old file or the new one.
  /// Errors    std::invalid_argument: the filename. storage_error: not a regular file, or the system refuses; the file is as it was.
  void tofile(const std::filesystem::path& filename) const {
    save_elements(filename, reinterpret_cast<const std::byte*>(data_), sizeof(T), shape_, strides_);
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
