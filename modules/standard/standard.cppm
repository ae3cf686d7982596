module;
#if defined(__clang__)
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#endif

/// The names of the standard library that the interfaces use: what `import std` is where a compiler has it.
///
/// clang++ compares the declarations of each standard header that an importer includes with every copy in the modules it loads.
/// So there is one copy, here. It is imported and not exported again: an importer of tensorplay sees no name of std. g++ 14 loses
/// names of std that a module exports; with it the interfaces include headers, and this module is empty.
export module tensorplay.standard;

#if defined(__clang__)
export namespace std {
using std::array;
using std::atomic;
using std::bit_cast;
using std::byte;
using std::complex;
using std::copy;
using std::endian;
using std::equal;
using std::error_category;
using std::error_code;
using std::exchange;
using std::initializer_list;
using std::input_iterator_tag;
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::is_constant_evaluated;
using std::is_error_code_enum;
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::nullopt;
using std::numeric_limits;
using std::optional;
using std::ostream;
using std::ptrdiff_t;
using std::random_access_iterator_tag;
using std::shared_ptr;
using std::size_t;
using std::span;
using std::string;
using std::string_view;
using std::swap;
using std::system_category;
using std::system_error;
using std::true_type;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;
using std::uintptr_t;
using std::unique_ptr;

namespace filesystem {
using std::filesystem::path;
using std::filesystem::read_symlink;
}  // namespace filesystem

namespace ranges {
using std::ranges::copy;
using std::ranges::enable_borrowed_range;
using std::ranges::enable_view;
}  // namespace ranges
}  // namespace std
#endif
