module;
#if !defined(__clang__)
#include <cstdint>
#include <optional>
#endif

export module tensorplay.storage:arithmetic;

import tensorplay.standard;

export namespace tensorplay {

/// The sum, or nothing where it lies outside the range of std::int64_t.
constexpr std::optional<std::int64_t> checked_add(std::int64_t left, std::int64_t right) noexcept {
  std::int64_t sum{};
  if (__builtin_add_overflow(left, right, &sum)) return std::nullopt;
  return sum;
}

/// The product, or nothing where it lies outside the range of std::int64_t.
constexpr std::optional<std::int64_t> checked_multiply(std::int64_t left, std::int64_t right) noexcept {
  std::int64_t product{};
  if (__builtin_mul_overflow(left, right, &product)) return std::nullopt;
  return product;
}

}  // namespace tensorplay
