module;
#include <cstdint>

module tensorplay.functional:extremes;

import tensorplay.tensor;
import :reduction;

namespace tensorplay::inline functional {

/// What is compared: clang 19 without optimisation mishandles bfloat16.
template <class T>
using key = traits::choose<half_element<T>, float, traits::choose<one_of<T, bool8_t>, bool, T>>;

/// The smallest and the largest element seen.
template <class T>
struct extremes {
  bool has_nan = false;
  T nan{};
  T low{};
  T high{};
  bool is_empty = true;

  void see(const T* first, std::int64_t count) {
    if (is_empty) low = high = *first;
    is_empty = false;
    auto least = static_cast<key<T>>(low);
    auto most = static_cast<key<T>>(high);
    for (std::int64_t at = 0; at < count; ++at) {
      const auto value = static_cast<key<T>>(first[at]);
      if (value != value && !has_nan) {
        has_nan = true;
        nan = first[at];
      }
      least = value < least ? value : least;
      most = value > most ? value : most;
    }
    low = static_cast<T>(least);
    high = static_cast<T>(most);
  }
};

template <class T>
minmax_result<T> extreme_values(const any_view& elements) {
  extremes<T> seen;
  for_each_piece<T>(elements, [&](const T* first, std::int64_t count) { seen.see(first, count); });
  return seen.has_nan ? minmax_result<T>{seen.nan, seen.nan} : minmax_result<T>{seen.low, seen.high};
}

/// The index of the first element that is before(the best so far), or NaN.
template <class T, class Before>
std::int64_t index_of_best(const any_view& elements, Before&& before) {
  std::int64_t best_at = 0;
  std::int64_t at = 0;
  key<T> best{};
  for_each_piece<T>(elements, [&](const T* first, std::int64_t count) {
    if (at == 0) best = static_cast<key<T>>(*first);
    for (const auto* end = first + count; first != end; ++first, ++at) {
      const auto value = static_cast<key<T>>(*first);
      if (before(value, best) || (value != value && best == best)) {
        best = value;
        best_at = at;
      }
    }
  });
  return best_at;
}

}  // namespace tensorplay::inline functional
