#pragma once
// Included by implementation units behind their imports, as what it includes.
#include "../vectorized.hpp"

namespace tensorplay::inline functional {

/// The smallest and the largest of elements that have an order.
template <class T>
struct extremes {
  order_of<T> low;
  order_of<T> high;
  bool has_nan;
};

/// Turns the bits of elements to their places in the order, and notes where elements are NaN.
///
/// numbers   one number, or a vector of them.
template <class T, class Numbers, class Bits>
[[gnu::always_inline]] inline void read_order(Numbers& numbers, Bits& nans) {
  if constexpr (half_element<T>) {
    nans |= static_cast<Bits>((numbers & 0x7fff) > infinity_bits<T>);
    numbers = static_cast<Numbers>(numbers ^ ((numbers >> 15) & 0x7fff));
  } else if constexpr (one_of<T, bool8_t>) {
    numbers = static_cast<Numbers>(static_cast<Numbers>(numbers != 0) & 1);
  } else if constexpr (one_of<T, float, double>) {
    nans |= static_cast<Bits>(numbers != numbers);
  }
}

/// The extremes of at least one element, read in streams.
template <class T>
[[gnu::always_inline]] inline extremes<T> found_extremes(const T* values, std::int64_t count) {
  using number = order_of<T>;
  constexpr std::int64_t width{32 / sizeof(number)};
  using number_vector [[gnu::vector_size(32)]] = number;
  using bit_vector = decltype(number_vector{} != number_vector{});
  const auto load = [values](void* to, std::int64_t at, std::size_t nbytes)
                        __attribute__((always_inline)) { std::memcpy(to, values + at, nbytes); };

  number low;
  int nans = 0;
  load(&low, 0, sizeof low);
  read_order<T>(low, nans);
  auto high = low;
  number_vector lows[streams];
  number_vector highs[streams];
  for (std::int64_t stream = 0; stream < streams; ++stream) lows[stream] = highs[stream] = low - number_vector{};
  bit_vector nan_vector{};
  const auto each = count / streams / width * width;
  for (std::int64_t at = 0; at < each; at += width) {
    for (std::int64_t stream = 0; stream < streams; ++stream) {
      number_vector loaded;
      load(&loaded, stream * each + at, sizeof loaded);
      read_order<T>(loaded, nan_vector);
      lows[stream] = loaded < lows[stream] ? loaded : lows[stream];
      highs[stream] = loaded > highs[stream] ? loaded : highs[stream];
    }
  }
  for (std::int64_t lane = 0; lane < width; ++lane) {
    for (std::int64_t stream = 0; stream < streams; ++stream) {
      low = lows[stream][lane] < low ? lows[stream][lane] : low;
      high = highs[stream][lane] > high ? highs[stream][lane] : high;
    }
    nans |= nan_vector[lane] != 0 ? 1 : 0;
  }
  for (auto at = streams * each; at < count; ++at) {
    number loaded;
    load(&loaded, at, sizeof loaded);
    read_order<T>(loaded, nans);
    low = loaded < low ? loaded : low;
    high = loaded > high ? loaded : high;
  }
  return {low, high, nans != 0};
}

/// The index of the first element for which is_wanted(element), one of which there is.
template <class T, class Wanted>
[[gnu::always_inline]] inline std::int64_t first_index(const T* values, std::int64_t count, const Wanted& is_wanted) {
  constexpr std::int64_t block{256};
  std::int64_t at = 0;
  for (; at + block <= count; at += block) {
    int found = 0;
    for (std::int64_t of_block = 0; of_block < block; ++of_block) found |= is_wanted(values[at + of_block]) ? 1 : 0;
    if (found != 0) break;
  }
  while (!is_wanted(values[at])) ++at;
  return at;
}

template <class T>
[[gnu::always_inline]] inline bool is_nan(T value) {
  if constexpr (half_element<T>) {
    return (std::bit_cast<std::int16_t>(value) & 0x7fff) > infinity_bits<T>;
  } else {
    return value != value;
  }
}

template <class T>
std::int64_t first_nan(const T* values, std::int64_t count) {
  return vectorized([=]() __attribute__((always_inline)) {
    return first_index(values, count, [](T value) __attribute__((always_inline)) { return is_nan(value); });
  });
}

/// The index of the first element that is equal to another.
template <class T>
std::int64_t first_equal(const T* values, std::int64_t count, T wanted) {
  return vectorized([=]() __attribute__((always_inline)) {
    if constexpr (half_element<T>) {
      const auto bits = std::bit_cast<std::uint16_t>(wanted);
      const auto compared = (bits & 0x7fffu) == 0 ? 0x7fffu : 0xffffu;  // both zeros are equal
      return first_index(values, count, [=](T value) __attribute__((always_inline)) {
        return (std::bit_cast<std::uint16_t>(value) & compared) == (bits & compared);
      });
    } else {
      return first_index(values, count, [=](T value) __attribute__((always_inline)) { return value == wanted; });
    }
  });
}

/// Calls function(const T* values, std::int64_t count, const extremes<T>&) for elements in row-major order, count of them at a time.
template <class T, class Function>
void for_each_extremes(const any_view& elements, Function&& function) {
  constexpr std::int64_t most{streams * stream_bytes / sizeof(T)};
  for_each_piece<T>(elements, [&](const T* values, std::int64_t count) {
    for (std::int64_t first = 0; first < count; first += most) {
      const auto* chunk = values + first;
      const auto length = count - first < most ? count - first : most;
      function(chunk, length, vectorized([=]() __attribute__((always_inline)) { return found_extremes(chunk, length); }));
    }
  });
}

/// The smallest and the largest element, or twice the first NaN.
template <class T>
minmax_result<T> extreme_values(const any_view& elements) {
  extremes<T> all{};
  T nan{};
  bool is_first = true;
  for_each_extremes<T>(elements, [&](const T* values, std::int64_t count, const extremes<T>& found) {
    if (found.has_nan && !all.has_nan) nan = values[first_nan(values, count)];
    all.has_nan = all.has_nan || found.has_nan;
    if (is_first || found.low < all.low) all.low = found.low;
    if (is_first || found.high > all.high) all.high = found.high;
    is_first = false;
  });
  return all.has_nan ? minmax_result<T>{nan, nan} : minmax_result<T>{element_at<T>(all.low), element_at<T>(all.high)};
}

/// The index of the first NaN, or of the first element that is smallest, or largest.
template <class T, bool Largest>
std::int64_t index_of_extreme(const any_view& elements) {
  std::int64_t best_at = 0;
  std::int64_t at = 0;
  key<T> best{};
  bool is_nan_found = false;
  for_each_extremes<T>(elements, [&](const T* values, std::int64_t count, const extremes<T>& found) {
    const auto extreme = element_at<T>(Largest ? found.high : found.low);
    const auto value = static_cast<key<T>>(extreme);
    if (!is_nan_found && found.has_nan) {
      is_nan_found = true;
      best_at = at + first_nan(values, count);
    } else if (!is_nan_found && (at == 0 || (Largest ? value > best : value < best))) {
      best = value;
      best_at = at + first_equal(values, count, extreme);
    }
    at += count;
  });
  return best_at;
}

}  // namespace tensorplay::inline functional
