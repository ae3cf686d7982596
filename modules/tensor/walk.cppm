module;
#if !defined(__clang__)
#include <array>
#include <cstddef>
#include <cstdint>
#endif

export module tensorplay.tensor:walk;

import tensorplay.standard;
import :any_view;
import :dtype;
import :element;
import :shape;

export namespace tensorplay {

/// Visits elements in row-major order in pieces that a kernel can work on: native, aligned, one behind the other.
///
/// Where they do not stand so, they are gathered to memory of the caller's and scattered from it.
/// Lifetime  that of the elements.
class element_walk {
 public:
  explicit element_walk(const any_view& elements) noexcept;

  /// Elements that are still to be visited.
  std::int64_t remaining() const noexcept { return remaining_; }

  /// Elements from the current one on that stand as a kernel needs them; may be zero.
  std::int64_t run() const noexcept;

  /// The current element.
  std::byte* data() const noexcept { return at_; }

  /// Goes on by count elements, at most remaining().
  void advance(std::int64_t count) noexcept;

  /// Copies count elements, at most remaining(), to native ones, and goes on.
  void gather(std::byte* to, std::int64_t count) noexcept;

  /// Copies count native elements, at most remaining(), to here, and goes on.
  void scatter(const std::byte* from, std::int64_t count) noexcept;

 private:
  std::int64_t step_inner(std::int64_t count) noexcept;

  std::byte* at_;
  std::int64_t remaining_;
  std::int64_t itemsize_;
  std::int64_t part_;  // bytes that are reversed together; zero where none are
  bool is_native_;
  std::size_t rank_ = 0;  // dimensions that are left when neighbours are joined
  dims shape_;
  dims steps_;  // in bytes
  std::array<std::int64_t, max_rank> index_{};
};

/// Elements that kernels gather at a time: enough to hide the gathering, few enough for the first-level cache.
inline constexpr std::int64_t piece_numel = 1024;

/// Memory for one piece.
template <native_element T>
class piece {
 public:
  static constexpr std::int64_t nbytes{sizeof(T) * piece_numel};

  T* data() noexcept { return reinterpret_cast<T*>(bytes_); }
  std::byte* bytes() noexcept { return bytes_; }

 private:
  alignas(64) std::byte bytes_[nbytes];
};

/// Calls function(const T* first, std::int64_t count) for all elements in row-major order, count of them at a time.
///
/// T         the element type of the dtype.
/// Cost      contiguous native elements are not copied.
template <native_element T, class Function>
void for_each_piece(const any_view& elements, Function&& function) {
  if (elements.encoding() == encoding::native && elements.is_contiguous()) {
    if (elements.numel() > 0) function(reinterpret_cast<const T*>(elements.data()), elements.numel());
    return;
  }
  piece<T> gathered;
  for (element_walk walk{elements}; walk.remaining() > 0;) {
    const auto direct = walk.run();
    if (direct == walk.remaining() || direct >= piece_numel) {
      function(reinterpret_cast<const T*>(walk.data()), direct);
      walk.advance(direct);
    } else {
      const auto count = walk.remaining() < piece_numel ? walk.remaining() : piece_numel;
      walk.gather(gathered.bytes(), count);
      function(static_cast<const T*>(gathered.data()), count);
    }
  }
}

/// Reads elements piece by piece, in step with others.
template <native_element T>
class piece_reader {
 public:
  explicit piece_reader(const any_view& elements) noexcept : walk_{elements} {}

  std::int64_t remaining() const noexcept { return walk_.remaining(); }

  /// Elements that read() gives without a copy.
  std::int64_t run() const noexcept { return walk_.run(); }

  /// The next count elements, at most run(), or piece_numel and remaining(); valid until the next call.
  const T* read(std::int64_t count) noexcept {
    if (walk_.run() >= count) {
      const auto* direct = reinterpret_cast<const T*>(walk_.data());
      walk_.advance(count);
      return direct;
    }
    walk_.gather(gathered_.bytes(), count);
    return gathered_.data();
  }

 private:
  element_walk walk_;
  piece<T> gathered_;
};

/// Writes elements piece by piece.
template <native_element T>
class piece_writer {
 public:
  explicit piece_writer(const any_view& elements) noexcept : walk_{elements} {}

  std::int64_t remaining() const noexcept { return walk_.remaining(); }

  /// Elements of the next piece: as many as can be written in place, or else those that are gathered at a time.
  std::int64_t count() const noexcept { return remaining() < piece_numel ? remaining() : piece_numel; }

  /// Calls function(T* first) for the next count elements, at most piece_numel; with their present values if it asks for them.
  template <class Function>
  void write(std::int64_t count, bool with_values, Function&& function) {
    if (walk_.run() >= count) {
      function(reinterpret_cast<T*>(walk_.data()));
      walk_.advance(count);
      return;
    }
    if (with_values) element_walk{walk_}.gather(gathered_.bytes(), count);
    function(gathered_.data());
    walk_.scatter(gathered_.bytes(), count);
  }

 private:
  element_walk walk_;
  piece<T> gathered_;
};

}  // namespace tensorplay
