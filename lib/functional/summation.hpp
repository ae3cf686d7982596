#pragma once
// Included by implementation units behind their imports, as what it includes.
#include "../vectorized.hpp"

namespace tensorplay::inline functional {

/// The type in which the elements of a sum are added; integers wrap.
template <class T>
using wide = traits::choose<whole_element<T>, std::uint64_t,
                            traits::choose<half_element<T>, float, traits::choose<complex_element<T>, complex128_t, double>>>;

template <class Wide, class T>
[[gnu::always_inline]] inline Wide as_wide(T value) {
  if constexpr (traits::same<Wide, complex128_t>) {
    return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
  } else if constexpr (half_element<T>) {
    return static_cast<float>(value);
  } else if constexpr (traits::same<T, bool8_t>) {
    return static_cast<bool>(value) ? Wide{1} : Wide{0};
  } else {
    return static_cast<Wide>(value);
  }
}

/// Adds sums of blocks pairwise, so that an error grows with the logarithm of their number: place k holds the sum of 2^k blocks.
template <class Wide>
class pairwise {
 public:
  void add(Wide value) {
    std::size_t place = 0;
    for (auto others = count_++; (others & 1) != 0; others >>= 1) value = sums_[place++] + value;
    sums_[place] = value;
  }

  Wide total() const {
    Wide sum{};
    for (std::size_t place = 0; place < sums_.size() && count_ >> place != 0; ++place) {
      if ((count_ >> place & 1) != 0) sum += sums_[place];
    }
    return sum;
  }

 private:
  std::array<Wide, 64> sums_;  // a place is written before it is read
  std::uint64_t count_ = 0;
};

/// The type in which the elements of one block are added: no wider than they need, so that vectors hold many.
template <class T, class Wide>
using partial = traits::choose<traits::same<T, std::uint8_t>, std::uint16_t,
                               traits::choose<traits::same<T, std::int8_t>, std::int16_t,
                                              traits::choose<traits::same<T, std::uint16_t>, std::uint32_t,
                                                             traits::choose<traits::same<T, std::int16_t>, std::int32_t, Wide>>>>;

/// Sums that a block is added in at once: eight vectors of 32 bytes, four of the widest types.
template <class Partial>
constexpr std::int64_t lanes = sizeof(Partial) >= 8 && !traits::counting<Partial> ? 16 : 256 / std::int64_t{sizeof(Partial)};

/// The unsigned integer of as many bytes.
template <std::size_t Bytes>
using word = traits::choose<Bytes == 1, std::uint8_t,
                            traits::choose<Bytes == 2, std::uint16_t, traits::choose<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Whether two elements fill a lane and can be taken out of it where they lie, which is cheaper than to widen vectors.
template <class T, class Partial>
concept half_of_lane =
    sizeof(Partial) == 2 * sizeof(T) && ((traits::counting<T> && traits::counting<Partial>) || traits::same<T, bfloat16_t>);

/// Elements of a block. A sum of ones must fit into 8 bits and one of bytes into 16, and the error bound of sum counts on 64 additions
/// to a lane of floats.
template <class Partial>
constexpr std::int64_t block_numel = lanes<Partial> * (sizeof(Partial) <= 2 ? 128 * std::int64_t{sizeof(Partial)} : 64);

/// The elements of one block.
struct block {
  std::int64_t first;  // of the first stream
  std::int64_t apart;  // from one stream's to the next one's
  std::int64_t count;  // of each stream
  std::int64_t rest;   // behind those of the last stream
  std::int64_t ahead;  // bytes to prefetch_ahead()
};

/// Calls function(block) for blocks that hold all of count terms.
///
/// itemsize  bytes of one element.
/// Results   terms that are not parted.
template <class Partial, std::int64_t Results, class Function>
[[gnu::always_inline]] inline void for_each_block(std::int64_t count, std::int64_t itemsize, const Function& function) {
  constexpr auto part = block_numel<Partial> / streams;
  const auto apart = stream_bytes / itemsize;
  const auto bytes_behind = [=](std::int64_t end) {
    const auto left = (count - end) * itemsize;
    return left < prefetch_bytes ? left : prefetch_bytes;
  };
  std::int64_t first = 0;
  for (; count - first >= streams * apart; first += streams * apart) {
    for (std::int64_t at = first; at < first + apart; at += part) {
      function(block{at, apart, part, 0, bytes_behind(at + (streams - 1) * apart + part)});
    }
  }
  for (; first < count; first += block_numel<Partial>) {
    const auto left = count - first < block_numel<Partial> ? count - first : block_numel<Partial>;
    const auto each = left / streams / Results * Results;
    function(block{first, each, each, left - streams * each, bytes_behind(first + left)});
  }
}

/// Adds the terms of a block to its lanes, each stream's to lanes of its own; gives how many of each.
template <class Partial, class Term>
[[gnu::always_inline]] inline std::int64_t add_whole_steps(Partial* sums, const block& of, const Term& term) {
  constexpr auto step = lanes<Partial> / streams;
  std::int64_t at = 0;
  for (; at + step <= of.count; at += step) {
    for (std::int64_t stream = 0; stream < streams; ++stream) {
      for (std::int64_t lane = 0; lane < step; ++lane) {
        auto& sum = sums[stream * step + lane];
        sum = static_cast<Partial>(sum + term(of.first + stream * of.apart + at + lane));
      }
    }
  }
  return at;
}

/// The same for elements as they are, or for a one in place of each that is not zero. Vectors by name: what compilers make of loops
/// is up to six times slower for small integers.
template <class Partial, bool Counts = false, class T>
  requires(Counts || !half_of_lane<T, Partial>)
[[gnu::always_inline]] inline std::int64_t add_whole_steps(Partial* sums, const block& of, const T* values) {
  constexpr std::int64_t width{32 / sizeof(Partial)};
  constexpr auto step = lanes<Partial> / streams;
  constexpr auto vectors = step / width;
  static_assert(Counts || !half_element<T>);
  using number = traits::choose<half_element<T>, std::uint16_t, T>;
  using loaded_vector [[gnu::vector_size(sizeof(T) * width)]] = number;
  using sum_vector [[gnu::vector_size(32)]] = Partial;
  sum_vector totals[streams * vectors]{};
  const auto add_step = [&](std::int64_t at) __attribute__((always_inline)) {
    for (std::int64_t place = 0; place < streams * vectors; ++place) {
      loaded_vector loaded;
      std::memcpy(&loaded, values + of.first + place / vectors * of.apart + at + place % vectors * width, sizeof loaded);
      if constexpr (half_element<T>) loaded &= 0x7fff;  // both zeros
      if constexpr (Counts) {
        totals[place] += __builtin_convertvector((loaded != 0) & 1, sum_vector);
      } else {
        totals[place] += __builtin_convertvector(loaded, sum_vector);
      }
    }
  };
  std::int64_t at = 0;
  if constexpr (sizeof(T) < sizeof(Partial)) {
    constexpr std::int64_t of_line{cache_line_bytes / sizeof(T)};
    constexpr auto together = step > of_line ? step : of_line;
    for (; at + together <= of.count; at += together) {
      for (std::int64_t stream = 0; stream < streams; ++stream) {
        prefetch_ahead(values + of.first + stream * of.apart + at, of.ahead);
      }
      for (std::int64_t behind = 0; behind < together; behind += step) add_step(at + behind);
    }
  }
  for (; at + step <= of.count; at += step) add_step(at);
  std::memcpy(sums, totals, sizeof totals);
  return at;
}

/// The same for elements of which two fill a lane.
template <class Partial, class T>
  requires half_of_lane<T, Partial>
[[gnu::always_inline]] inline std::int64_t add_whole_steps(Partial* sums, const block& of, const T* values) {
  constexpr auto step = lanes<Partial> / streams;
  constexpr int bits{8 * sizeof(T)};
  using lane = word<sizeof(Partial)>;
  constexpr auto low = static_cast<lane>((lane{1} << bits) - 1);
  // Signed integers are added from their smallest upwards, without signs.
  constexpr auto smallest = static_cast<lane>(traits::counting<T> && T(-1) < T(1) ? lane{1} << (bits - 1) : 0);
  using lane_vector [[gnu::vector_size(32)]] = lane;
  using sum_vector [[gnu::vector_size(32)]] = traits::choose<traits::counting<T>, lane, Partial>;
  static_assert(step * sizeof(T) == sizeof(lane_vector));
  sum_vector totals[streams][2]{};
  std::int64_t at = 0;
  for (; at + step <= of.count; at += step) {
    for (std::int64_t stream = 0; stream < streams; ++stream) {
      lane_vector loaded;
      std::memcpy(&loaded, values + of.first + stream * of.apart + at, sizeof loaded);
      if constexpr (half_element<T>) {
        totals[stream][0] += (sum_vector)(loaded << bits);
        totals[stream][1] += (sum_vector)(loaded & ~low);
      } else {
        loaded ^= static_cast<lane>(smallest << bits | smallest);
        totals[stream][0] += loaded & low;
        totals[stream][1] += loaded >> bits;
      }
    }
  }
  if constexpr (smallest != 0) {
    for (auto& total : totals) {
      total[0] -= static_cast<lane>(smallest * static_cast<lane>(at / step));
      total[1] -= static_cast<lane>(smallest * static_cast<lane>(at / step));
    }
  }
  std::memcpy(sums, totals, sizeof totals);
  return at;
}

/// The sums of term(0), term(Results), term(2 * Results) and so on of a block, of term(1), term(1 + Results) and so on.
///
/// sums      the lanes with what whole steps have added.
/// done      how many of each stream they have added.
template <std::int64_t Results, class Partial, class Term>
[[gnu::always_inline]] inline auto folded_lanes(Partial* sums, const block& of, std::int64_t done, const Term& term) {
  constexpr auto width = lanes<Partial>;
  using result = traits::choose<sizeof(Partial) <= 2, std::int32_t, Partial>;  // all lanes together need more than 16 bits
  for (std::int64_t stream = 0; stream < streams; ++stream) {
    for (auto at = done; at < of.count; ++at) {
      auto& sum = sums[stream * width / streams + at - done];
      sum = static_cast<Partial>(sum + term(of.first + stream * of.apart + at));
    }
  }
  result folded[width];
  for (std::int64_t lane = 0; lane < width; ++lane) folded[lane] = static_cast<result>(sums[lane]);
  for (auto half = width / 2; half >= Results; half /= 2) {
    for (std::int64_t lane = 0; lane < half; ++lane) folded[lane] = static_cast<result>(folded[lane] + folded[lane + half]);
  }
  for (std::int64_t at = 0; at < of.rest; ++at) {
    auto& sum = folded[at % Results];
    sum = static_cast<result>(sum + term(of.first + streams * of.count + at));
  }
  std::array<result, static_cast<std::size_t>(Results)> results;
  for (std::int64_t lane = 0; lane < Results; ++lane) results[static_cast<std::size_t>(lane)] = folded[lane];
  return results;
}

/// Adds the sums of the blocks of count terms.
template <class Partial, class Wide, class Term>
[[gnu::always_inline]] inline void add_blocks(pairwise<Wide>& sums, std::int64_t count, std::int64_t itemsize, const Term& term) {
  for_each_block<Partial, 1>(count, itemsize, [&](const block& of) __attribute__((always_inline)) {
    Partial of_block[lanes<Partial>]{};
    const auto done = add_whole_steps(of_block, of, term);
    sums.add(static_cast<Wide>(folded_lanes<1>(of_block, of, done, term)[0]));
  });
}

/// Elements as kernels calculate with them: half floats are widened.
template <class T>
class widened_elements {
 public:
  /// How many are read at a time.
  static constexpr std::int64_t most = half_element<T> ? piece_numel : std::int64_t{1} << 62;

  /// At most that many; valid until the next call.
  auto* read(const T* values, std::int64_t count) {
    if constexpr (half_element<T>) {
      converter_of(dtype_of<T>, float32)(reinterpret_cast<const std::byte*>(values), floats_.bytes(), count);
      return static_cast<const float*>(floats_.data());
    } else {
      return values;
    }
  }

 private:
  struct nothing {};
  [[no_unique_address]] traits::choose<half_element<T>, piece<float>, nothing> floats_;
};

/// The sum of term(element) over all elements.
template <class Wide, class T, class Term>
Wide sum_of_terms(const any_view& elements, const Term& term) {
  pairwise<Wide> sums;
  widened_elements<T> widened;
  for_each_piece<T>(elements, [&](const T* all, std::int64_t count) {
    for (std::int64_t first = 0; first < count; first += widened.most) {
      const auto length = count - first < widened.most ? count - first : widened.most;
      const auto* values = widened.read(all + first, length);
      vectorized([&]() __attribute__((always_inline)) {
        add_blocks<Wide>(sums, length, sizeof *values,
                         [&](std::int64_t at) __attribute__((always_inline)) { return term(values[at]); });
      });
    }
  });
  return sums.total();
}

/// The sum of half floats that need an instruction of their own to be widened.
inline void add_halves(pairwise<float>& sums, const float16_t* halves, std::int64_t count) {
  static_assert(lanes<float> == streams * widened_step);
  for_each_block<float, 1>(count, sizeof(float16_t), [&](const block& of) {
    float of_block[lanes<float>]{};
    const auto done = of.count / widened_step * widened_step;
    add_widened(halves + of.first, of.apart, done, of.ahead, of_block);
    const auto widened = [&](std::int64_t at) { return static_cast<float>(halves[at]); };
    sums.add(folded_lanes<1>(of_block, of, done, widened)[0]);
  });
}

/// The sum of complex numbers: that of their parts, which stand in turn.
template <class Part>
void add_complex(pairwise<complex128_t>& sums, const Part* parts, std::int64_t count) {
  vectorized([&]() __attribute__((always_inline)) {
    for_each_block<double, 2>(count, sizeof(Part), [&](const block& of) __attribute__((always_inline)) {
      double of_block[lanes<double>];
      const auto done = add_whole_steps(of_block, of, parts);
      const auto part = [&](std::int64_t at) __attribute__((always_inline)) { return static_cast<double>(parts[at]); };
      const auto both = folded_lanes<2>(of_block, of, done, part);
      sums.add({both[0], both[1]});
    });
  });
}

/// How many elements of a piece are not zero. One function for all integers of a size: the kernel is long.
template <class T>
[[gnu::noinline]] std::int64_t nonzero_values(const T* values, std::int64_t count) {
  return vectorized([=]() __attribute__((always_inline)) {
    std::int64_t total = 0;
    const auto one = [=](std::int64_t at) __attribute__((always_inline)) { return key<T>{} != static_cast<key<T>>(values[at]); };
    if constexpr (complex_element<T>) {
      for (std::int64_t at = 0; at < count; ++at) total += one(at) ? 1 : 0;
    } else {
      using counter = word<sizeof(T)>;
      for_each_block<counter, 1>(count, sizeof(T), [&](const block& of) __attribute__((always_inline)) {
        counter of_block[lanes<counter>];
        const auto done = add_whole_steps<counter, true>(of_block, of, values);
        total += static_cast<std::int64_t>(folded_lanes<1>(of_block, of, done, one)[0]);
      });
    }
    return total;
  });
}

/// How many elements are not zero.
template <class T>
std::int64_t nonzero_count(const any_view& elements) {
  using number = traits::choose<whole_element<T>, word<sizeof(T)>, T>;  // signed or not, zero is the same
  std::int64_t total = 0;
  for_each_piece<T>(elements, [&](const T* values, std::int64_t count) {
    total += nonzero_values(reinterpret_cast<const number*>(values), count);
  });
  return total;
}

/// The sum of elements as they are.
template <class Wide, class T>
Wide sum_of_elements(const any_view& elements) {
  pairwise<Wide> sums;
  for_each_piece<T>(elements, [&](const T* values, std::int64_t count) {
    if constexpr (traits::same<T, float16_t>) {
      add_halves(sums, values, count);
    } else if constexpr (complex_element<T>) {
      add_complex(sums, reinterpret_cast<const typename T::value_type*>(values), 2 * count);
    } else {
      using in_block = traits::choose<whole_element<T> && traits::same<Wide, std::uint64_t>, partial<T, Wide>, Wide>;
      vectorized([&]() __attribute__((always_inline)) {
        for_each_block<in_block, 1>(count, sizeof(T), [&](const block& of) __attribute__((always_inline)) {
          in_block of_block[lanes<in_block>];
          const auto done = add_whole_steps(of_block, of, values);
          const auto value = [&](std::int64_t at) __attribute__((always_inline)) { return as_wide<in_block>(values[at]); };
          sums.add(static_cast<Wide>(folded_lanes<1>(of_block, of, done, value)[0]));
        });
      });
    }
  });
  return sums.total();
}

template <class Wide, class T>
Wide plain_sum(const any_view& elements) {
  if constexpr (traits::same<T, bool8_t>) {
    return static_cast<Wide>(nonzero_count<T>(elements));
  } else if constexpr (half_element<T> && !traits::same<Wide, float>) {
    return sum_of_terms<Wide, T>(elements, [](float value) __attribute__((always_inline)) { return static_cast<Wide>(value); });
  } else if constexpr (traits::counting<T> && sizeof(T) <= 2 && traits::same<Wide, double>) {
    // Exact: no memory holds as many as would wrap.
    return static_cast<double>(static_cast<std::int64_t>(sum_of_elements<std::uint64_t, T>(elements)));
  } else if constexpr (traits::same<T, std::int64_t> && traits::same<Wide, std::uint64_t>) {
    return sum_of_elements<Wide, std::uint64_t>(elements);
  } else {
    return sum_of_elements<Wide, T>(elements);
  }
}

}  // namespace tensorplay::inline functional
