module;
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <locale>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module tensorplay.tensor;

namespace tensorplay {
namespace {

constexpr std::int64_t most_shown = 100'000;  // edges of many dimensions multiply

template <class... Arguments>
std::string chars(Arguments... arguments) {
  std::array<char, 512> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), arguments...).ptr;
  return {text.data(), end};
}

/// The number that a text holds, in whatever locale; libc++ 19 has no std::from_chars for it.
float number_in(const std::string& text) {
  std::istringstream in{text};
  in.imbue(std::locale::classic());
  float number{};
  in >> number;
  return number;
}

/// The fewest digits from which the number comes back.
template <class T>
std::string shortest(T value) {
  if constexpr (half_element<T>) {
    const auto wide = static_cast<float>(value);
    for (int digits = 1; digits < 9; ++digits) {
      const auto text = chars(wide, std::chars_format::general, digits);
      const auto read = number_in(text);
      if (static_cast<T>(read) == value) return chars(read);
    }
    return chars(wide);
  } else {
    return chars(value);
  }
}

template <class T>
std::string real_text(T value, int precision) {
  const auto wide = static_cast<std::conditional_t<sizeof(T) == 8, double, float>>(value);
  if (std::isnan(wide)) return "nan";
  if (std::isinf(wide)) return wide < 0 ? "-inf" : "inf";
  if (precision >= 0) {
    return std::abs(wide) < 1e16 ? chars(wide, std::chars_format::fixed, precision)
                                 : chars(wide, std::chars_format::scientific, precision);
  }
  auto text = shortest(value);
  if (text.find_first_of(".e") == text.npos) text += '.';  // tells 1. from the integer 1
  return text;
}

template <native_element T>
std::string element_text(T value, int precision) {
  if constexpr (std::same_as<T, bool8_t>) {
    return value ? "true" : "false";
  } else if constexpr (std::integral<T>) {
    return std::to_string(value);
  } else if constexpr (complex_element<T>) {
    const auto imaginary = real_text(value.imag(), precision);
    return real_text(value.real(), precision) + (imaginary.front() == '-' ? "" : "+") + imaginary + 'j';
  } else {
    return real_text(value, precision);
  }
}

class printer {
 public:
  printer(const any_view& elements, const print_options& options) : options_{options} {
    options_.precision = std::min(options_.precision, 100);
    edge_ = elements.numel() > options.threshold ? std::max(options.edge_items, 1) : -1;
    while (edge_ > 1 && shown_numel(elements) > most_shown) --edge_;
    collect(elements);
  }

  std::string text(const any_view& elements) {
    print(elements.shape(), 0);
    return std::move(text_);
  }

 private:
  bool is_cut(std::int64_t extent) const { return edge_ >= 0 && extent > 2 * edge_; }

  std::int64_t shown_numel(const any_view& elements) const {
    std::int64_t count = 1;
    for (const auto extent : elements.shape()) count *= is_cut(extent) ? 2 * edge_ : std::min(extent, most_shown);
    return count;
  }

  template <class Function>
  void for_shown(std::int64_t extent, Function&& function) const {
    const bool cut = is_cut(extent);
    for (std::int64_t at = 0; at < extent; ++at) {
      if (cut && at == edge_) at = extent - edge_;
      function(at);
    }
  }

  /// Texts of the shown elements in order, and the width of the widest.
  void collect(const any_view& elements) {
    if (!elements.shape().empty()) {
      return for_shown(elements.shape()[0], [&](std::int64_t at) { collect(elements.select(0, at)); });
    }
    dispatch(elements.dtype(), [&]<class T>() {
      for_each_piece<T>(elements, [&](const T* value, std::int64_t) {
        texts_.push_back(element_text<T>(*value, options_.precision));
        width_ = std::max(width_, texts_.back().size());
      });
    });
  }

  void print(const dims& shape, std::size_t dimension) {
    if (dimension == shape.size()) {
      text_ += texts_[next_++];
    } else if (dimension + 1 == shape.size()) {
      print_row(shape[dimension], dimension);
    } else {
      print_block(shape, dimension);
    }
  }

  void print_row(std::int64_t extent, std::size_t dimension) {
    text_ += '[';
    const auto indent = prefix.size() + dimension + 1;
    auto column = indent;
    const auto put = [&](std::string_view item, std::size_t width) {
      const bool is_first = text_.back() == '[';
      if (!is_first && column + 2 + width + 1 > static_cast<std::size_t>(std::max(options_.line_width, 1))) {
        text_ += ",\n" + std::string(indent, ' ');
        column = indent;
      } else if (!is_first) {
        text_ += ", ";
        column += 2;
      }
      text_.append(width - item.size(), ' ').append(item);
      column += width;
    };
    for_shown(extent, [&](std::int64_t at) {
      if (is_cut(extent) && at == extent - edge_) put("...", 3);
      put(texts_[next_++], width_);
    });
    text_ += ']';
  }

  void print_block(const dims& shape, std::size_t dimension) {
    const auto extent = shape[dimension];
    const auto line = ',' + std::string(shape.size() - 1 - dimension, '\n') + std::string(prefix.size() + dimension + 1, ' ');
    text_ += '[';
    for_shown(extent, [&](std::int64_t at) {
      if (at > 0) text_ += line;
      if (is_cut(extent) && at == extent - edge_) text_ += "..." + line;
      print(shape, dimension + 1);
    });
    text_ += ']';
  }

 public:
  static constexpr std::string_view prefix = "tensor(";

 private:
  print_options options_;
  std::int64_t edge_;
  std::vector<std::string> texts_;
  std::size_t width_ = 0;
  std::size_t next_ = 0;
  std::string text_;
};

/// Whether the numbers alone tell the dtype.
bool is_expected(dtype type) {
  const auto real = get_default_dtype();
  return type == bool_ || type == int64 || type == real || type == (real == float64 ? complex128 : complex64);
}

}  // namespace

std::string to_string(const any_view& elements, const print_options& options) {
  std::string text{printer::prefix};
  if (elements.numel() == 0) {
    text += "[]";
    if (elements.dim() != 1) text += ", shape=" + shape_text(elements.shape());
  } else {
    text += printer{elements, options}.text(elements);
  }
  if (!is_expected(elements.dtype())) text += ", dtype=" + std::string{name(elements.dtype())};
  return text + ')';
}

std::ostream& operator<<(std::ostream& out, const any_view& elements) { return out << to_string(elements); }

}  // namespace tensorplay
