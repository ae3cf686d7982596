module;
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

export module tensorplay.functional:ziggurat;

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
template <class T>
struct ziggurat {
  static constexpr std::size_t layers = 128;
  std::array<T, layers + 1> width;
  std::array<T, layers + 1> height;  ///< of the curve there
};

constexpr ziggurat<double> layers_of_equal_area() {
  constexpr double tail_begin = 3.4426198558966514;  // the one whose layers end at height 1
  constexpr double area = 0.009912563035336474;
  const auto curve = [](double x) { return constant_exp(-x * x / 2); };
  ziggurat<double> made{};
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

template <class T>
constexpr ziggurat<T> rounded(const ziggurat<double>& exact) {
  ziggurat<T> made{};
  for (std::size_t at = 0; at <= made.layers; ++at) {
    made.width[at] = static_cast<T>(exact.width[at]);
    made.height[at] = static_cast<T>(exact.height[at]);
  }
  return made;
}

template <class T>
inline constexpr ziggurat<T> normal_layers = rounded<T>(layers_of_equal_area());

/// 2^-bits
template <class T, int bits>
inline constexpr T fraction = T{1} / static_cast<T>(std::uint64_t{1} << bits);

/// One try: of so many random bits, seven choose the layer, one the sign, and the highest the place.
template <class T>
struct normal_draw {
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int digits = std::numeric_limits<T>::digits;

  explicit normal_draw(word random)
      : bits{random},
        layer{random % ziggurat<T>::layers},
        distance{static_cast<T>(static_cast<std::make_signed_t<word>>(random >> (8 * sizeof(T) - digits))) * fraction<T, digits> *
                 normal_layers<T>.width[layer]} {}

  /// Whether it lies under the curve whatever its height.
  bool is_inside() const { return distance < normal_layers<T>.width[layer + 1]; }

  T with_sign(T value) const {
    constexpr word sign = ziggurat<T>::layers;
    return std::bit_cast<T>(static_cast<word>(std::bit_cast<word>(value) | (bits & sign) << (8 * sizeof(T) - 8)));
  }

  word bits;
  std::size_t layer;
  T distance;
};

/// Goes on from a try that is not inside; engine() gives 64 random bits.
template <class T, class Engine>
[[gnu::noinline]] T normal_outside(normal_draw<T> draw, Engine& engine) {
  const auto uniform = [&] { return static_cast<double>(engine() >> 11) * fraction<double, 53>; };
  const auto& layers = normal_layers<double>;
  while (!draw.is_inside()) {
    if (draw.layer == 0) {
      double behind{};
      double height{};
      do {
        behind = -std::log(1 - uniform()) / layers.width[1];
        height = -std::log(1 - uniform());
      } while (2 * height < behind * behind);
      return draw.with_sign(static_cast<T>(layers.width[1] + behind));
    }
    const auto low = layers.height[draw.layer];
    const auto height = low + uniform() * (layers.height[draw.layer + 1] - low);
    const double x = draw.distance;
    if (height < std::exp(-x * x / 2)) break;
    draw = normal_draw<T>{static_cast<typename normal_draw<T>::word>(engine() >> (64 - 8 * sizeof(T)))};
  }
  return draw.with_sign(draw.distance);
}

/// A normal number of mean 0 and variance 1.
template <class T, class Engine>
T normal_of(typename normal_draw<T>::word random, Engine& engine) {
  const normal_draw<T> draw{random};
  if (draw.is_inside()) [[likely]]
    return draw.with_sign(draw.distance);
  return normal_outside(draw, engine);
}

}  // namespace tensorplay::inline functional
