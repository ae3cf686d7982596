module;
#include <cmath>
#if !defined(__clang__)
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#endif

export module tensorplay.functional:ziggurat;

import tensorplay.standard;

namespace tensorplay::inline functional {

// Calculated when it is compiled: the same with every compiler, library and processor.

constexpr double constant_exp(double x) {
  constexpr int halvings = 8;
  x /= 1 << halvings;
  double sum = 1;
  double term = 1;
  for (int at = 1; at < 10; ++at) sum += term *= x / at;
  for (int at = 0; at < halvings; ++at) sum *= sum;
  return sum;
}

/// Of numbers from 0 to 1.
constexpr double constant_log(double x) {
  double root = 0;
  for (int step = 0; step < 40; ++step) {
    const auto better = root + x * constant_exp(-root) - 1;
    if (better - root < 1e-15 && root - better < 1e-15) break;
    root = better;
  }
  return root;
}

constexpr double constant_sqrt(double x) {
  double root = x > 1 ? x : 1;
  for (auto better = (root + x / root) / 2; better < root; better = (root + x / root) / 2) root = better;
  return root;
}

/// The curve exp(-x * x / 2) above zero as layers of equal area, from the lowest up. Layer k is as wide as width[k], and all of it that
/// is left of width[k + 1] lies under the curve. The lowest holds the tail behind width[1]: as wide as its area asks for.
///
/// Source    Marsaglia and Tsang, "The Ziggurat Method for Generating Random Variables", Journal of Statistical Software 5 (2000)
struct ziggurat {
  static constexpr std::size_t layers = 256;
  std::array<double, layers + 1> width;
  std::array<double, layers + 1> height;  ///< of the curve there
};

constexpr ziggurat layers_of_equal_area() {
  constexpr double tail_begin = 3.654152885361009;  // the one whose layers end at height 1
  constexpr double area = 0.004928673233974653;
  const auto curve = [](double x) { return constant_exp(-x * x / 2); };
  ziggurat made{};
  made.width[0] = area / curve(tail_begin);
  made.width[1] = tail_begin;
  for (std::size_t at = 1; at + 1 < made.layers; ++at) {
    made.height[at] = curve(made.width[at]);
    made.width[at + 1] = constant_sqrt(-2 * constant_log(made.height[at] + area / made.width[at]));
  }
  made.height[made.layers - 1] = curve(made.width[made.layers - 1]);
  made.height[made.layers] = 1;
  return made;
}

inline constexpr ziggurat normal_layers = layers_of_equal_area();

/// 2^-bits
template <class T, int bits>
inline constexpr T fraction = T{1} / static_cast<T>(std::uint64_t{1} << bits);

/// One try: of so many random bits, eight choose the layer, one the sign, and the highest the place in the layer.
template <class T>
struct normal_draw {
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int word_bits = 8 * sizeof(T);
  static constexpr int place_bits = sizeof(T) == 4 ? 23 : 53;

  struct tables {
    std::array<T, ziggurat::layers> step;     ///< of places
    std::array<word, ziggurat::layers> core;  ///< places that lie under the curve whatever the height
  };
  static constexpr tables layers = [] {
    tables made{};
    for (std::size_t at = 0; at < ziggurat::layers; ++at) {
      made.step[at] = static_cast<T>(normal_layers.width[at] * fraction<double, place_bits>);
      const auto core = normal_layers.width[at + 1] / normal_layers.width[at];
      made.core[at] = static_cast<word>(core * static_cast<double>(word{1} << place_bits));
    }
    return made;
  }();

  explicit normal_draw(word random) : bits{random}, layer{random % ziggurat::layers}, place{random >> (word_bits - place_bits)} {}

  bool is_inside() const { return place < layers.core[layer]; }
  T distance() const { return static_cast<T>(static_cast<std::make_signed_t<word>>(place)) * layers.step[layer]; }
  T with_sign(T value) const {
    constexpr word sign = ziggurat::layers;
    return std::bit_cast<T>(static_cast<word>(std::bit_cast<word>(value) | (bits & sign) << (word_bits - 9)));
  }

  word bits;
  std::size_t layer;
  word place;
};

/// Goes on from a try that is not inside; engine() gives 64 random bits.
template <class T, class Engine>
[[gnu::noinline]] T normal_outside(normal_draw<T> draw, Engine& engine) {
  const auto uniform = [&] { return static_cast<double>(engine() >> 11) * fraction<double, 53>; };
  while (!draw.is_inside()) {
    if (draw.layer == 0) {
      const auto tail_begin = normal_layers.width[1];
      double behind{};
      double height{};
      do {
        behind = -std::log(1 - uniform()) / tail_begin;
        height = -std::log(1 - uniform());
      } while (2 * height < behind * behind);
      return draw.with_sign(static_cast<T>(tail_begin + behind));
    }
    const auto low = normal_layers.height[draw.layer];
    const auto height = low + uniform() * (normal_layers.height[draw.layer + 1] - low);
    const double x = draw.distance();
    if (height < std::exp(-x * x / 2)) break;
    draw = normal_draw<T>{static_cast<typename normal_draw<T>::word>(engine() >> (64 - normal_draw<T>::word_bits))};
  }
  return draw.with_sign(draw.distance());
}

/// A normal number of mean 0 and variance 1.
template <class T, class Engine>
T normal_of(typename normal_draw<T>::word random, Engine& engine) {
  const normal_draw<T> draw{random};
  if (!draw.is_inside()) [[unlikely]]
    return normal_outside(draw, engine);
  return draw.with_sign(draw.distance());
}

}  // namespace tensorplay::inline functional
