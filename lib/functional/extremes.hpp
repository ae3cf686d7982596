#pragma once
// Included by implementation units behind their imports, as what it includes.
#include "../vectorized.hpp"

namespace tensorplay::inline functional {

/// The smallest or the largest of elements; of no meaning where one is NaN.
template <class T>
struct extreme {
  order_of<T> place;
  bool has_nan;
};

/// Takes the larger ones, or the smaller ones, of numbers or vectors of them.
template <bool Largest, class Numbers>
[[gnu::always_inline]] inline void keep_extreme(Numbers& kept, const Numbers& others) {
  kept = Largest ? (others > kept ? others : kept) : (others < kept ? others : kept);
}

/// The smallest and the largest of the bits of half floats, read as integers with a sign and without.
struct half_bits {
  std::int16_t low;
  std::int16_t high;
  std::uint16_t unsigned_high;

  [[gnu::always_inline]] inline void keep(const half_bits& other) {
    keep_extreme<false>(low, other.low);
    keep_extreme<true>(high, other.high);
    keep_extreme<true>(unsigned_high, other.unsigned_high);
  }
};

/// The bits of at least one half float, read in streams.
[[gnu::always_inline]] inline half_bits found_half_bits(const std::byte* halves, std::int64_t count) {
  constexpr std::int64_t width{16};
  using signed_vector [[gnu::vector_size(32)]] = std::int16_t;
  using unsigned_vector [[gnu::vector_size(32)]] = std::uint16_t;
  const auto load = [halves](auto& to, std::int64_t at)
                        __attribute__((always_inline)) { std::memcpy(&to, halves + at * 2, sizeof to); };

  std::int16_t first;
  load(first, 0);
  half_bits kept{first, first, static_cast<std::uint16_t>(first)};
  signed_vector lows[streams];
  signed_vector highs[streams];
  unsigned_vector unsigned_highs[streams];
  for (std::int64_t stream = 0; stream < streams; ++stream) {
    lows[stream] = highs[stream] = first - signed_vector{};
    unsigned_highs[stream] = kept.unsigned_high - unsigned_vector{};
  }
  const auto each = count / streams / width * width;
  for (std::int64_t at = 0; at < each; at += width) {
    for (std::int64_t stream = 0; stream < streams; ++stream) {
      signed_vector loaded;
      load(loaded, stream * each + at);
      keep_extreme<false>(lows[stream], loaded);
      keep_extreme<true>(highs[stream], loaded);
      keep_extreme<true>(unsigned_highs[stream], (unsigned_vector)loaded);
    }
  }
  for (std::int64_t lane = 0; lane < width; ++lane) {
    for (std::int64_t stream = 0; stream < streams; ++stream) {
      kept.keep({lows[stream][lane], highs[stream][lane], unsigned_highs[stream][lane]});
    }
  }
  for (auto at = streams * each; at < count; ++at) {
    std::int16_t loaded;
    load(loaded, at);
    kept.keep({loaded, loaded, static_cast<std::uint16_t>(loaded)});
  }
  return kept;
}

/// The same for chunks of all half types.
[[gnu::noinline]] inline half_bits bits_of_halves(const std::byte* halves, std::int64_t count) {
  return vectorized([=]() __attribute__((always_inline)) { return found_half_bits(halves, count); });
}

/// The extreme of at least one half float.
///
/// Negative numbers stand in reverse: the one that is closest to zero is the smallest as an integer, and the largest of all without
/// a sign is the one that is farthest. NaNs lie beyond the infinities.
template <class T, bool Largest>
extreme<T> extreme_half(const T* values, std::int64_t count) {
  constexpr auto negative_infinity = static_cast<std::uint16_t>(infinity_bits<T> | 0x8000);
  const auto found = bits_of_halves(reinterpret_cast<const std::byte*>(values), count);
  const auto farthest = static_cast<std::int16_t>(found.unsigned_high);
  const auto largest = found.high >= 0 ? found.high : found.low;
  const auto smallest = farthest < 0 ? farthest : found.low;
  return {reordered(Largest ? largest : smallest), found.high > infinity_bits<T> || found.unsigned_high > negative_infinity};
}

/// The extreme of at least one other element, read in streams.
template <class T, bool Largest>
[[gnu::always_inline]] inline extreme<T> found_extreme(const T* values, std::int64_t count) {
  using number = order_of<T>;
  constexpr std::int64_t width{32 / sizeof(number)};
  using number_vector [[gnu::vector_size(32)]] = number;
  using bit_vector = decltype(number_vector{} != number_vector{});
  constexpr bool may_be_nan = one_of<T, float, double>;
  const auto load = [values](auto& to, std::int64_t at) __attribute__((always_inline)) {
    std::memcpy(&to, values + at, sizeof to);
    if constexpr (one_of<T, bool8_t>) to = (to != 0) & 1;
  };

  number kept;
  load(kept, 0);
  number_vector kept_vectors[streams];
  for (std::int64_t stream = 0; stream < streams; ++stream) kept_vectors[stream] = kept - number_vector{};
  bit_vector nans{};
  const auto each = count / streams / width * width;
  for (std::int64_t at = 0; at < each; at += width) {
    for (std::int64_t stream = 0; stream < streams; ++stream) {
      number_vector loaded;
      load(loaded, stream * each + at);
      keep_extreme<Largest>(kept_vectors[stream], loaded);
      if constexpr (may_be_nan) nans |= loaded != loaded;
    }
  }
  bool has_nan = false;
  for (std::int64_t lane = 0; lane < width; ++lane) {
    for (std::int64_t stream = 0; stream < streams; ++stream) keep_extreme<Largest>(kept, number{kept_vectors[stream][lane]});
    has_nan = has_nan || nans[lane] != 0;
  }
  for (auto at = streams * each; at < count; ++at) {
    number loaded;
    load(loaded, at);
    keep_extreme<Largest>(kept, loaded);
    if constexpr (may_be_nan) has_nan = has_nan || loaded != loaded;
  }
  return {kept, has_nan};
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

/// The extreme of a chunk of at least one element. One function for all that seek it: the kernel is long.
template <class T, bool Largest>
[[gnu::noinline]] extreme<T> extreme_of(const T* values, std::int64_t count) {
  if constexpr (half_element<T>) {
    return extreme_half<T, Largest>(values, count);
  } else {
    return vectorized([=]() __attribute__((always_inline)) { return found_extreme<T, Largest>(values, count); });
  }
}

/// Calls function(const T* values, std::int64_t count) for elements in row-major order, count of them at a time.
template <class T, class Function>
void for_each_chunk(const any_view& elements, Function&& function) {
  constexpr std::int64_t most{streams * stream_bytes / sizeof(T)};
  for_each_piece<T>(elements, [&](const T* values, std::int64_t count) {
    for (std::int64_t first = 0; first < count; first += most) {
      function(values + first, count - first < most ? count - first : most);
    }
  });
}

/// The smallest or the largest element of chunks, or the first NaN.
template <class T, bool Largest>
class extreme_of_chunks {
 public:
  void add(const T* values, std::int64_t count) {
    if (nan_) return;
    const auto found = extreme_of<T, Largest>(values, count);
    if (found.has_nan) {
      nan_ = values[first_nan(values, count)];
    } else if (is_first_) {
      place_ = found.place;
    } else {
      keep_extreme<Largest>(place_, found.place);
    }
    is_first_ = false;
  }

  T value() const { return nan_ ? *nan_ : element_at<T>(place_); }

 private:
  order_of<T> place_{};
  std::optional<T> nan_;
  bool is_first_ = true;
};

template <class T, bool Largest>
T extreme_value(const any_view& elements) {
  extreme_of_chunks<T, Largest> all;
  for_each_chunk<T>(elements, [&](const T* values, std::int64_t count) { all.add(values, count); });
  return all.value();
}

/// Both, while a chunk is in the cache.
template <class T>
minmax_result<T> extreme_values(const any_view& elements) {
  extreme_of_chunks<T, false> lows;
  extreme_of_chunks<T, true> highs;
  for_each_chunk<T>(elements, [&](const T* values, std::int64_t count) {
    lows.add(values, count);
    highs.add(values, count);
  });
  return {lows.value(), highs.value()};
}

/// The index of the first NaN, or of the first element that is smallest, or largest.
template <class T, bool Largest>
std::int64_t index_of_extreme(const any_view& elements) {
  std::int64_t best_at = 0;
  std::int64_t at = 0;
  key<T> best{};
  bool is_nan_found = false;
  for_each_chunk<T>(elements, [&](const T* values, std::int64_t count) {
    if (is_nan_found) return;
    const auto found = extreme_of<T, Largest>(values, count);
    const auto extreme = element_at<T>(found.place);
    const auto value = static_cast<key<T>>(extreme);
    if (found.has_nan) {
      is_nan_found = true;
      best_at = at + first_nan(values, count);
    } else if (at == 0 || (Largest ? value > best : value < best)) {
      best = value;
      best_at = at + first_equal(values, count, extreme);
    }
    at += count;
  });
  return best_at;
}

}  // namespace tensorplay::inline functional
