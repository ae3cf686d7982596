#pragma once
// Included by implementation units behind their imports, as what it includes.
#include "vectorized.hpp"

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
    for (std::size_t place = 0; place < sums_.size(); ++place) {
      if ((count_ >> place & 1) != 0) sum += sums_[place];
    }
    return sum;
  }

 private:
  std::array<Wide, 64> sums_{};
  std::uint64_t count_ = 0;
};

/// The type in which the elements of one block are added: no wider than they need, so that vectors hold many.
template <class T, class Wide>
using partial = traits::choose<one_of<T, bool8_t, std::uint8_t>, std::uint16_t,
                               traits::choose<traits::same<T, std::int8_t>, std::int16_t,
                                              traits::choose<traits::same<T, std::uint16_t>, std::uint32_t,
                                                             traits::choose<traits::same<T, std::int16_t>, std::int32_t, Wide>>>>;

/// Sums that a block is added in at once: eight vectors of 32 bytes, four of the widest types.
template <class Partial>
constexpr std::int64_t lanes = sizeof(Partial) >= 8 ? 16 : 256 / static_cast<std::int64_t>(sizeof(Partial));

/// Elements of a block. A sum of bytes must fit into 16 bits, and the error bound of sum counts on 64 additions to a lane of floats.
template <class Partial>
constexpr std::int64_t block_numel = lanes<Partial> * (sizeof(Partial) == 2 ? 256 : 64);

/// The sums of term(0), term(Results), term(2 * Results) and so on, of term(1), term(1 + Results) and so on: at most block_numel
/// terms in all.
template <class Partial, std::int64_t Results, class Term>
[[gnu::always_inline]] inline auto block_sums(std::int64_t count, const Term& term) {
  constexpr auto width = lanes<Partial>;
  using result = traits::choose<sizeof(Partial) == 2, std::int32_t, Partial>;  // all lanes together need more than 16 bits
  Partial sums[width]{};
  std::int64_t at = 0;
  for (; at + width <= count; at += width) {
    for (std::int64_t lane = 0; lane < width; ++lane) sums[lane] = static_cast<Partial>(sums[lane] + term(at + lane));
  }
  for (std::int64_t lane = 0; at < count; ++at, ++lane) sums[lane] = static_cast<Partial>(sums[lane] + term(at));
  result folded[width];
  for (std::int64_t lane = 0; lane < width; ++lane) folded[lane] = static_cast<result>(sums[lane]);
  for (auto half = width / 2; half >= Results; half /= 2) {
    for (std::int64_t lane = 0; lane < half; ++lane) folded[lane] = static_cast<result>(folded[lane] + folded[lane + half]);
  }
  std::array<result, static_cast<std::size_t>(Results)> results;
  for (std::int64_t lane = 0; lane < Results; ++lane) results[static_cast<std::size_t>(lane)] = folded[lane];
  return results;
}

/// Adds the sums of the blocks of count terms.
template <class Partial, class Wide, class Term>
[[gnu::always_inline]] inline void add_blocks(pairwise<Wide>& sums, std::int64_t count, const Term& term) {
  for (std::int64_t first = 0; first < count; first += block_numel<Partial>) {
    const auto length = count - first < block_numel<Partial> ? count - first : block_numel<Partial>;
    const auto of_block = [&](std::int64_t at) __attribute__((always_inline)) { return term(first + at); };
    sums.add(static_cast<Wide>(block_sums<Partial, 1>(length, of_block)[0]));
  }
}

/// The sum of term(element) over all elements.
template <class Wide, class T, class Term>
Wide sum_of_terms(const any_view& elements, const Term& term) {
  pairwise<Wide> sums;
  for_each_piece<T>(elements, [&](const T* values, std::int64_t count) {
    vectorized([&]() __attribute__((always_inline)) {
      add_blocks<Wide>(sums, count, [&](std::int64_t at) __attribute__((always_inline)) { return term(values[at]); });
    });
  });
  return sums.total();
}

/// The sum of half floats, which are converted a block at a time.
template <class T>
void add_halves(pairwise<float>& sums, const T* halves, std::int64_t count) {
  constexpr auto most = block_numel<float>;
  float values[most];
  for (; count > 0; halves += most, count -= most) {
    const auto length = count < most ? count : most;
    widen(halves, values, length);
    vectorized([&]() __attribute__((always_inline)) {
      add_blocks<float>(sums, length, [&](std::int64_t at) __attribute__((always_inline)) { return values[at]; });
    });
  }
}

/// The sum of complex numbers: that of their parts, which stand in turn.
template <class Part>
void add_complex(pairwise<complex128_t>& sums, const Part* parts, std::int64_t count) {
  vectorized([&]() __attribute__((always_inline)) {
    for (; count > 0; parts += block_numel<double>, count -= block_numel<double>) {
      const auto length = count < block_numel<double> ? count : block_numel<double>;
      const auto both = block_sums<double, 2>(
          length, [&](std::int64_t at) __attribute__((always_inline)) { return static_cast<double>(parts[at]); });
      sums.add({both[0], both[1]});
    }
  });
}

template <class Wide, class T>
Wide plain_sum(const any_view& elements) {
  pairwise<Wide> sums;
  for_each_piece<T>(elements, [&](const T* values, std::int64_t count) {
    if constexpr (half_element<T> && traits::same<Wide, float>) {
      add_halves(sums, values, count);
    } else if constexpr (complex_element<T>) {
      add_complex(sums, reinterpret_cast<const typename T::value_type*>(values), 2 * count);
    } else {
      using in_block = traits::choose<whole_element<T> && traits::same<Wide, std::uint64_t>, partial<T, Wide>, Wide>;
      vectorized([&]() __attribute__((always_inline)) {
        add_blocks<in_block>(sums, count,
                             [&](std::int64_t at) __attribute__((always_inline)) { return as_wide<in_block>(values[at]); });
      });
    }
  });
  return sums.total();
}

}  // namespace tensorplay::inline functional
