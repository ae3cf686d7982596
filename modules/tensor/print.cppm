module;
#include <version>
#if defined(__cpp_lib_format)
#include <format>
#endif
#if !defined(__clang__)
#include <algorithm>
#include <iosfwd>
#include <string>
#endif

export module tensorplay.tensor:print;

import tensorplay.standard;
import :any;
import :any_view;
import :element;
import :typed;
import :view;

export namespace tensorplay {

/// How a tensor is printed.
struct print_options {
  int precision = -1;    ///< digits behind the point; -1: as few as tell the number from its neighbours
  int threshold = 1000;  ///< elements; a tensor of more shows the edges of its dimensions alone
  int edge_items = 3;    ///< elements at each edge
  int line_width = 80;   ///< characters
};

/// A tensor as PyTorch prints it: nested brackets, aligned columns, `...` for what is left out, and the dtype where it is not what the
/// numbers would be taken for: bool, int64, the default dtype or the complex dtype of twice its size.
///
/// Cost      touches the elements that are shown alone.
std::string to_string(const any_view& elements, const print_options& options = {});

/// Prints to_string(elements).
std::ostream& operator<<(std::ostream& out, const any_view& elements);

}  // namespace tensorplay

#if defined(__cpp_lib_format)
namespace tensorplay {

/// `{}` is to_string(), `{:.3}` the same with three digits behind the point.
struct tensor_formatter {
  constexpr auto parse(std::format_parse_context& context) {
    auto at = context.begin();
    if (at == context.end() || *at == '}') return at;
    if (*at++ != '.' || at == context.end() || *at < '0' || *at > '9') throw_bad_format();
    options.precision = 0;
    for (; at != context.end() && *at >= '0' && *at <= '9' && options.precision < 100; ++at) {
      options.precision = options.precision * 10 + (*at - '0');
    }
    if (at != context.end() && *at != '}') throw_bad_format();
    return at;
  }
  template <class Context>
  auto format(const any_view& elements, Context& context) const {
    return std::ranges::copy(to_string(elements, options), context.out()).out;
  }
  [[noreturn]] static void throw_bad_format() { throw std::format_error{"a tensor takes {} or a precision, as in {:.3}"}; }

  print_options options;
};

}  // namespace tensorplay

export template <tensorplay::element T, std::size_t Rank, tensorplay::memory_format Format>
struct std::formatter<tensorplay::tensor_view<T, Rank, Format>, char> : tensorplay::tensor_formatter {};
export template <tensorplay::element T, std::size_t Rank, tensorplay::memory_format Format>
struct std::formatter<tensorplay::tensor<T, Rank, Format>, char> : tensorplay::tensor_formatter {};
export template <>
struct std::formatter<tensorplay::any_tensor, char> : tensorplay::tensor_formatter {};
#endif
