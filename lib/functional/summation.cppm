module;
#include <array>
#include <cstddef>
#include <cstdint>

module tensorplay.functional:summation;

import tensorplay.tensor;
import :reduction;

namespace tensorplay::inline functional {

/// The type in which the elements of a sum are added; integers wrap.
template <class T>
using wide = traits::choose<whole_element<T>, std::uint64_t,
                            traits::choose<half_element<T>, float, traits::choose<complex_element<T>, complex128_t, double>>>;

template <class Wide, class T>
Wide as_wide(T value) {
  if constexpr (traits::same<Wide, complex128_t>) {
    return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
  } else if constexpr (half_element<T>) {
    return static_cast<float>(value);
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

constexpr std::int64_t block_numel = 1024;
constexpr std::int64_t lanes = 16;

/// The sum of term(0) to term(count - 1), in lanes that vector instructions add at once.
template <class Wide, class Term>
Wide block_sum(std::int64_t count, Term&& term) {
  Wide sums[lanes]{};
  std::int64_t at = 0;
  for (; at + lanes <= count; at += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) sums[lane] += term(at + lane);
  }
  for (; at < count; ++at) sums[at % lanes] += term(at);
  for (auto half = lanes / 2; half > 0; half /= 2) {
    for (std::int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

/// The sum of term(element) over all elements.
template <class Wide, class T, class Term>
Wide sum_of_terms(const any_view& elements, Term&& term) {
  pairwise<Wide> sums;
  for_each_piece<T>(elements, [&](const T* first, std::int64_t count) {
    for (; count > 0; first += block_numel, count -= block_numel) {
      sums.add(block_sum<Wide>((count < block_numel ? count : block_numel), [&](std::int64_t at) { return term(first[at]); }));
    }
  });
  return sums.total();
}

template <class Wide, class T>
Wide plain_sum(const any_view& elements) {
  return sum_of_terms<Wide, T>(elements, [](T value) { return as_wide<Wide>(value); });
}

}  // namespace tensorplay::inline functional
