module;
#include <utility>
#include <variant>
#if !defined(__clang__)
#include <cstddef>
#include <cstdint>
#endif

export module tensorplay.tensor:scalar;

import tensorplay.standard;
import :dtype;
import :element;
import :traits;

export namespace tensorplay {

/// One number of any element type, for functions whose dtype is known at run time.
class scalar {
 public:
  constexpr scalar(traits::same<bool> auto value) noexcept : value_{std::in_place_type<bool>, value} {}
  constexpr scalar(bool8_t value) noexcept : value_{std::in_place_type<bool>, value} {}
  template <traits::counting T>
    requires(T(-1) < T(0))
  constexpr scalar(T value) noexcept : value_{std::in_place_type<std::int64_t>, value} {}
  template <traits::counting T>
    requires(T(-1) > T(0))
  constexpr scalar(T value) noexcept : value_{std::in_place_type<std::uint64_t>, value} {}
  constexpr scalar(float16_t value) noexcept : value_{std::in_place_type<double>, value} {}
  constexpr scalar(bfloat16_t value) noexcept : value_{std::in_place_type<double>, static_cast<float>(value)} {}
  constexpr scalar(float value) noexcept : value_{std::in_place_type<double>, value} {}
  constexpr scalar(double value) noexcept : value_{std::in_place_type<double>, value} {}
  constexpr scalar(complex64_t value) noexcept : value_{std::in_place_type<complex128_t>, value} {}
  constexpr scalar(complex128_t value) noexcept : value_{std::in_place_type<complex128_t>, value} {}

  bool is_bool() const noexcept;
  bool is_integral() const noexcept;
  bool is_floating_point() const noexcept;
  bool is_complex() const noexcept;

  /// The number as an element of this type. Integers are cut towards zero, floating-point numbers rounded.
  ///
  /// Errors    std::invalid_argument: the number lies outside the type's range, or has an imaginary part that the type has not.
  template <element T>
  T to() const {
    T converted{};
    store(dtype_of<T>, reinterpret_cast<std::byte*>(&converted));
    return converted;
  }

  /// The same, written to itemsize(type) bytes at `to`.
  void store(dtype type, std::byte* to) const;

 private:
  std::variant<bool, std::int64_t, std::uint64_t, double, complex128_t> value_;
};

}  // namespace tensorplay
