module;
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

module tensorplay.tensor;

import tensorplay.storage;
import :halves;

#include "../vectorized.hpp"

namespace tensorplay {
namespace {

/// The nearest integer towards zero; the limits of U hold what lies outside them. Without branches, for vectors.
template <std::integral U, std::floating_point F>
[[gnu::always_inline]] inline U saturated(F value) {
  constexpr auto lowest = std::numeric_limits<U>::min();
  constexpr auto highest = std::numeric_limits<U>::max();
  if constexpr (sizeof(U) <= 2) {
    const auto not_below = value > F{lowest} ? value : F{lowest};
    const auto inside = not_below < F{highest} ? not_below : F{highest};
    return static_cast<U>(static_cast<std::int32_t>(value == value ? inside : F{0}));
  } else {
    constexpr auto above = static_cast<F>(std::uint64_t{1} << (std::numeric_limits<U>::digits - 1)) * 2;
    const bool is_low = !(value > static_cast<F>(lowest));
    const bool is_high = value >= above;
    const auto inside = static_cast<U>(is_low || is_high ? F{0} : value);
    const auto low = value == value ? lowest : U{0};
    return is_high ? highest : is_low ? low : inside;
  }
}

/// A double from which rounding to a half type gives what rounding from the integer would: bits that a double has no room for are
/// joined to its last one.
template <std::integral T>
[[gnu::always_inline]] inline double sticky(T value) {
  if constexpr (std::numeric_limits<T>::digits <= 53) {
    return static_cast<double>(value);
  } else {
    constexpr T room = T{1} << 53;
    if (value < room && (std::is_unsigned_v<T> || value > static_cast<T>(-room))) return static_cast<double>(value);
    constexpr T low = 0x7ff;
    const auto kept = static_cast<T>(value & static_cast<T>(~low));
    return static_cast<double>(static_cast<T>(kept | ((value & low) != 0 ? low + 1 : 0)));
  }
}

/// Of all but half floats.
template <native_element U, native_element T>
[[gnu::always_inline]] inline U converted(T value) {
  if constexpr (std::same_as<T, U>) {
    return value;
  } else if constexpr (std::same_as<U, bool8_t>) {
    return value != T{};
  } else if constexpr (std::same_as<T, bool8_t>) {
    return converted<U>(static_cast<std::uint8_t>(static_cast<bool>(value)));
  } else if constexpr (complex_element<U>) {
    using part = typename U::value_type;
    if constexpr (complex_element<T>) {
      return {static_cast<part>(value.real()), static_cast<part>(value.imag())};
    } else {
      return {converted<part>(value), part{}};
    }
  } else if constexpr (std::floating_point<T> && std::integral<U>) {
    return saturated<U>(value);
  } else if constexpr (std::integral<T> && half_element<U>) {
    return static_cast<U>(sticky(value));
  } else {
    return static_cast<U>(value);
  }
}

/// Whether floats hold all values of T.
template <class T>
constexpr bool fits_float = std::same_as<T, bool8_t> || (std::integral<T> && sizeof(T) <= 2);

template <native_element T, native_element U>
void convert_elements(const T* from, U* to, std::int64_t count) {
  if constexpr (half_element<T> && std::same_as<U, float>) {
    widen(from, to, count);
  } else if constexpr (std::same_as<T, float> && half_element<U>) {
    narrow(from, to, count);
  } else if constexpr (half_element<T> || (half_element<U> && fits_float<T>)) {
    constexpr std::int64_t most{512};
    float floats[most];
    for (std::int64_t first = 0; first < count; first += most) {
      const auto length = std::min(count - first, most);
      convert_elements(from + first, floats, length);
      convert_elements(floats, to + first, length);
    }
  } else {
    vectorized([=]() __attribute__((always_inline)) {
      for (std::int64_t at = 0; at < count; ++at) to[at] = converted<U>(from[at]);
    });
  }
}

template <native_element T, native_element U>
void convert(const std::byte* from, std::byte* to, std::int64_t count) {
  if constexpr (std::same_as<T, U>) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  } else {
    convert_elements(reinterpret_cast<const T*>(from), reinterpret_cast<U*>(to), count);
  }
}

/// The bytes between the lowest and the highest element.
struct byte_range {
  explicit byte_range(const any_view& elements) : low{reinterpret_cast<std::intptr_t>(elements.data())}, high{low} {
    const auto size = itemsize(elements.dtype());
    for (std::size_t at = 0; at < elements.shape().size(); ++at) {
      const auto reach = (elements.shape()[at] - 1) * elements.strides()[at] * size;
      (reach < 0 ? low : high) += reach;
    }
    high += size;
  }
  std::intptr_t low;
  std::intptr_t high;
};

bool overlap(const any_view& left, const any_view& right) {
  if (left.numel() == 0 || right.numel() == 0) return false;
  const byte_range one{left};
  const byte_range other{right};
  return one.low < other.high && other.low < one.high;
}

bool same_places(const any_view& left, const any_view& right) {
  return left.data() == right.data() && left.strides() == right.strides() && left.shape() == right.shape() &&
         itemsize(left.dtype()) == itemsize(right.dtype());
}

using wide_piece = piece<std::complex<double>>;

/// Copies elements that have the same shape and do not overlap.
void copy_matched(const any_view& from, const any_view& to) {
  const auto convert_piece = converter_of(from.dtype(), to.dtype());
  wide_piece gathered;
  wide_piece results;
  element_walk reads{from};
  element_walk writes{to};
  while (writes.remaining() > 0) {
    const auto direct = std::min(reads.run(), writes.run());
    const auto count = direct >= piece_numel ? direct : std::min(writes.remaining(), piece_numel);
    const std::byte* source = gathered.bytes();
    if (reads.run() >= count) {
      source = reads.data();
      reads.advance(count);
    } else {
      reads.gather(gathered.bytes(), count);
    }
    if (writes.run() >= count) {
      convert_piece(source, writes.data(), count);
      writes.advance(count);
    } else {
      convert_piece(source, results.bytes(), count);
      writes.scatter(results.bytes(), count);
    }
  }
}

/// Repeats the element that stands first. What is repeated stays in the processor's cache.
void repeat_first(std::byte* first, std::int64_t itemsize, std::int64_t nbytes) {
  constexpr std::int64_t most_at_once{std::int64_t{64} << 10};
  for (auto filled = itemsize; filled < nbytes;) {
    const auto count = std::min({filled, most_at_once / itemsize * itemsize, nbytes - filled});
    std::memcpy(first + filled, first, static_cast<std::size_t>(count));
    filled += count;
  }
}

/// Replaces all bytes of elements that stand in a large mapping, in a way that costs less than the first stores to its pages; says
/// whether it has.
///
/// produce(std::byte* to, std::int64_t first, std::int64_t nbytes)
///           writes bytes of the elements, from the first on, to where they are wanted.
/// pattern() gives bytes that repeated are those of the elements.
template <class Produce, class Pattern>
bool replaced_in_mapping(const any_view& to, const storage* owner, Produce produce, Pattern pattern) {
  constexpr std::int64_t least_bytes{std::int64_t{256} << 10};
  const auto nbytes = to.nbytes();
  if (owner == nullptr || owner->nbytes() < least_bytes || nbytes < least_bytes || !is_plain(to)) return false;
  // Pieces are cut between pages: no element may lie across two.
  if (reinterpret_cast<std::uintptr_t>(to.data()) % static_cast<std::uintptr_t>(itemsize(to.dtype())) != 0) return false;
  const auto offset = to.data() - owner->data();
  if (owner->access() == access::copy_on_write) {
    std::int64_t done = 0;
    for (private_rewrite pieces{*owner, offset, nbytes}; pieces.next(); pieces.place()) {
      produce(pieces.to(), done, pieces.nbytes());
      done += pieces.nbytes();
    }
    return true;
  }
  shared_rewrite file{*owner, offset, nbytes};
  if (!file) return false;
  file.write_repeated(pattern(), nbytes);
  return true;
}

}  // namespace

converter converter_of(dtype from, dtype to) {
  return dispatch(from, [&]<class T>() -> converter {
    return dispatch(to, [&]<class U>() -> converter {
      if constexpr (complex_element<T> && !complex_element<U> && !std::same_as<U, bool8_t>) {
        throw std::invalid_argument{"a complex dtype or bool was wanted for elements of " + std::string{name(from)} + ", found " +
                                    std::string{name(to)} + ", which would lose the imaginary parts"};
      } else {
        return &convert<T, U>;
      }
    });
  });
}

void require_stores(const char* operation, const any_view& elements) {
  if (!elements.is_writable()) {
    throw std::invalid_argument{std::string{operation} + ": writable elements were wanted, found read-only ones"};
  }
  for (std::size_t at = 0; at < elements.shape().size(); ++at) {
    if (elements.shape()[at] > 1 && elements.strides()[at] == 0) {
      throw std::invalid_argument{std::string{operation} + ": a place for each element was wanted, found the expanded shape " +
                                  shape_text(elements.shape()) + " with strides " + shape_text(elements.strides())};
    }
  }
}

any_tensor matched_source(const any_view& source, const any_view& destination) {
  const auto repeated = source.expand(destination.shape());
  if (!overlap(source, destination) || same_places(repeated, destination)) return {storage{}, repeated};
  const auto copy = any_tensor{storage{}, source}.clone();
  return copy.expand(destination.shape());
}

void copy_elements(const any_view& from, const any_view& to, const storage* owner) {
  require_stores("copy_", to);
  converter_of(from.dtype(), to.dtype());
  const auto source = matched_source(from, to);
  const bool is_same = from.dtype() == to.dtype() && from.encoding() == to.encoding() && same_places(source, to);
  if (is_same) return;
  if (from.dtype() == to.dtype() && is_plain(source)) {
    const std::span bytes{source.data(), static_cast<std::size_t>(source.nbytes())};
    const auto copy = [bytes](std::byte* place, std::int64_t first, std::int64_t nbytes) {
      std::memcpy(place, &bytes[static_cast<std::size_t>(first)], static_cast<std::size_t>(nbytes));
    };
    if (replaced_in_mapping(to, owner, copy, [bytes] { return bytes; })) return;
  }
  copy_matched(source, to);
}

void fill_elements(const any_view& to, const scalar& value, const storage* owner) {
  require_stores("fill_", to);
  const auto size = itemsize(to.dtype());
  wide_piece values;
  value.store(to.dtype(), values.bytes());
  const auto fill = [&](std::byte* place, std::int64_t, std::int64_t nbytes) {
    std::memcpy(place, values.bytes(), static_cast<std::size_t>(size));
    repeat_first(place, size, nbytes);
  };
  const auto pattern = [&] {
    repeat_first(values.bytes(), size, values.nbytes);
    return std::span<const std::byte>{values.bytes(), static_cast<std::size_t>(values.nbytes)};
  };
  if (replaced_in_mapping(to, owner, fill, pattern)) return;
  element_walk writes{to};
  if (writes.remaining() > 0 && writes.run() == writes.remaining()) {
    return fill(writes.data(), 0, writes.remaining() * size);
  }
  repeat_first(values.bytes(), size, size * piece_numel);
  while (writes.remaining() > 0) writes.scatter(values.bytes(), std::min(writes.remaining(), piece_numel));
}

}  // namespace tensorplay
