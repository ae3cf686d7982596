module;
#if !defined(__clang__)
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#endif

export module tensorplay.tensor:any_view;

import tensorplay.standard;
import tensorplay.storage;
import :dtype;
import :element;
import :packed;
import :shape;
import :traits;

export namespace tensorplay {

/// A tensor or a view of elements of one type: what any_view is made from.
template <class View>
concept typed_view = element<typename View::element_type> && requires {
  typename View::dims_array;
  View::always_contiguous;
};

/// Elements whose type and rank are known at run time, kept alive by somebody else: any tensor and any view converts to it. Functions
/// that work on tensors take it, so that each is compiled once.
///
/// The views are the ones of tensor_view. Strides count elements.
/// Lifetime  that of the storage. Trivially copyable.
class any_view {
 public:
  /// No elements, dtype float32, shape (0,).
  any_view() noexcept = default;

  /// Elements at multiples of the strides; the caller answers for them.
  inline any_view(std::byte* first, tensorplay::dtype type, encoding bytes, bool writable, const dims& shape,
                  const dims& strides) noexcept
      : first_{first}, dtype_{type}, encoding_{bytes}, writable_{writable}, shape_{shape}, strides_{strides} {}

  template <typed_view View>
  any_view(const View& view) noexcept
      : first_{reinterpret_cast<std::byte*>(const_cast<traits::mutable_of<typename View::element_type>*>(view.data()))},
        dtype_{dtype_of<typename View::element_type>},
        encoding_{encoding_of<typename View::element_type>},
        writable_{!traits::constant<typename View::element_type>},
        shape_{view.shape()},
        strides_{view.strides()} {}

  /// What the elements read as.
  tensorplay::dtype dtype() const noexcept { return dtype_; }

  /// How their bytes are to be read: not native for packed elements.
  tensorplay::encoding encoding() const noexcept { return encoding_; }

  std::int64_t dim() const noexcept { return static_cast<std::int64_t>(shape_.size()); }
  const dims& shape() const noexcept { return shape_; }

  /// Elements, not bytes, from one index of a dimension to the next.
  const dims& strides() const noexcept { return strides_; }

  std::int64_t numel() const noexcept;
  std::int64_t nbytes() const noexcept;

  /// The bytes of the first element; null without elements.
  const std::byte* data() const noexcept { return first_; }

  /// The same, for stores.
  ///
  /// Errors    std::invalid_argument: the elements are read-only.
  std::byte* mutable_data() const;

  /// Whether the elements may be written.
  bool is_writable() const noexcept { return writable_; }

  bool is_contiguous() const noexcept { return is_row_major(shape_, strides_); }

  any_view reshape(const dims& shape) const;
  any_view flatten() const;
  any_view slice(std::int64_t dimension, std::int64_t start = 0, std::int64_t stop = slice_end, std::int64_t step = 1) const;
  any_view select(std::int64_t dimension, std::int64_t index) const;
  any_view narrow(std::int64_t dimension, std::int64_t start, std::int64_t length) const;
  any_view permute(dims order) const;
  any_view transpose(std::int64_t first, std::int64_t second) const;

  /// Without the dimensions of one element.
  any_view squeeze() const;

  /// Without that dimension, if it has one element; as PyTorch does, with it otherwise.
  any_view squeeze(std::int64_t dimension) const;
  any_view unsqueeze(std::int64_t dimension) const;
  any_view expand(dims shape) const;
  any_view view_as(tensorplay::dtype type) const;

  /// See tensor_view::tofile.
  void tofile(const std::filesystem::path& filename, replacement_options options = {}) const;

 protected:
  /// The same elements; dimensions that are to be written.
  any_view(const any_view& same, std::size_t rank);

  /// Writes the dimensions of that other view's reshape(shape), which has as many.
  void reshape_from(const any_view& other, const dims& shape);

  /// The same with the dimensions that there are: a plain copy copies room for max_rank, which is most of what a view costs.
  struct used_dims {};
  any_view(const any_view& same, used_dims) noexcept;

  // What other views do, in place.
  void become_slice(std::int64_t dimension, std::int64_t start, std::int64_t stop, std::int64_t step);
  void become_selected(std::int64_t dimension, std::int64_t index);
  void become_narrow(std::int64_t dimension, std::int64_t start, std::int64_t length);

 private:
  void skip(std::int64_t elements) noexcept;

  std::byte* first_ = nullptr;
  tensorplay::dtype dtype_ = tensorplay::dtype::float32;
  tensorplay::encoding encoding_ = tensorplay::encoding::native;
  bool writable_ = true;
  dims shape_{std::array<std::int64_t, 1>{0}};
  dims strides_{std::array<std::int64_t, 1>{1}};
};

}  // namespace tensorplay

namespace tensorplay {

/// Whether the bytes of the elements, in order, are those of a row-major array.
inline bool is_plain(const any_view& elements) noexcept {
  return elements.encoding() == encoding::native && elements.is_contiguous();
}

}  // namespace tensorplay
