module;
#include <optional>
#if !defined(__clang__)
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#endif

export module tensorplay.tensor:device;

import tensorplay.standard;

export namespace tensorplay {

/// Where a tensor would live. A mapped tensor lives on the CPU; other devices can be named, so that they can be refused by name.
class device {
 public:
  enum class kind : std::uint8_t { cpu, cuda };

  /// The CPU.
  constexpr device() noexcept = default;

  /// Reads "cpu", "cuda" or one of them with ":N", in any case.
  ///
  /// Errors    std::invalid_argument: any other text.
  device(std::string_view text);
  device(const char* text) : device{std::string_view{text}} {}

  constexpr kind type() const noexcept { return kind_; }

  /// N of ":N"; empty where the text had none.
  constexpr std::optional<std::int32_t> index() const noexcept { return index_; }

  constexpr bool is_cpu() const noexcept { return kind_ == kind::cpu; }

  /// The text in lower case: "cuda:1".
  std::string str() const;

  /// There is one CPU: CPUs are equal whatever their index.
  friend constexpr bool operator==(const device& left, const device& right) noexcept {
    return left.kind_ == right.kind_ && (left.is_cpu() || left.index_ == right.index_);
  }

 private:
  kind kind_ = kind::cpu;
  std::optional<std::int32_t> index_;
};

/// Prints str().
std::ostream& operator<<(std::ostream& out, const device& where);

}  // namespace tensorplay
