module;
#if !defined(__clang__)
#include <array>
#include <cstddef>
#include <cstdint>
#endif

export module tensorplay.tensor:traits;

import tensorplay.standard;

/// For tensorplay's own templates: what <type_traits>, <concepts> and <utility> have too.
///
/// g++ 14 hides from an importer those specialisations of the standard library's templates that the module itself has not used:
/// there std::remove_const_t<const float> would be const float to an importer that includes nothing.
export namespace tensorplay::traits {

template <class T>
struct without_const {
  using type = T;
  static constexpr bool was_const = false;
};
template <class T>
struct without_const<const T> {
  using type = T;
  static constexpr bool was_const = true;
};
template <class T>
using mutable_of = typename without_const<T>::type;
template <class T>
concept constant = without_const<T>::was_const;

template <class T, class U>
inline constexpr bool is_same = false;
template <class T>
inline constexpr bool is_same<T, T> = true;
template <class T, class U>
concept same = is_same<T, U>;

template <bool Condition, class Then, class Else>
struct choice {
  using type = Then;
};
template <class Then, class Else>
struct choice<false, Then, Else> {
  using type = Else;
};
template <bool Condition, class Then, class Else>
using choose = typename choice<Condition, Then, Else>::type;

template <class T>
struct as_written {
  using type = T;
};

/// A parameter type that template arguments are not deduced from.
template <class T>
using given = typename as_written<T>::type;

/// What may count elements: the integers of the language, without bool.
template <class T>
concept counting = same<T, char> || same<T, signed char> || same<T, unsigned char> || same<T, short> || same<T, unsigned short> ||
                   same<T, int> || same<T, unsigned> || same<T, long> || same<T, unsigned long> || same<T, long long> ||
                   same<T, unsigned long long>;

/// A braced list as an array.
template <std::size_t Rank>
constexpr std::array<std::int64_t, Rank> to_array(const std::int64_t (&values)[Rank]) noexcept {
  std::array<std::int64_t, Rank> array{};
  for (std::size_t at = 0; at < Rank; ++at) array[at] = values[at];
  return array;
}

/// The value, and a new one in its place.
template <class T>
constexpr T replaced(T& value, T with) noexcept {
  T before = static_cast<T&&>(value);
  value = static_cast<T&&>(with);
  return before;
}

template <class T>
constexpr void exchange(T& left, T& right) noexcept {
  T before = static_cast<T&&>(left);
  left = static_cast<T&&>(right);
  right = static_cast<T&&>(before);
}

}  // namespace tensorplay::traits
