module;
#if !defined(__clang__)
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#endif

export module tensorplay.storage:error;

import tensorplay.standard;

export namespace tensorplay {

/// What tensorplay itself finds wrong with a file; what the system refuses keeps the system's own code.
enum class storage_errc {
  not_a_regular_file = 1,  ///< a directory, FIFO, socket or device
  file_too_short,          ///< fewer bytes than the elements need
  partial_element,         ///< a byte count that no whole number of elements makes
  truncated,               ///< the file has become shorter than what is mapped of it
};

/// The category of storage_errc; its name is "tensorplay.storage".
const std::error_category& storage_category() noexcept;

/// Lets a storage_errc be compared with error codes: `error.code() == storage_errc::file_too_short`.
std::error_code make_error_code(storage_errc code) noexcept;

/// Everything that a file or the system refuses: what was done, to which path, and why it failed.
///
/// what()    `OPERATION "PATH": REASON`, and where sizes are at fault `... (wanted N bytes, found M bytes)`.
/// code()    the system's own number in std::system_category(), or a storage_errc.
/// Lifetime  copies share the path; copying does not throw.
class storage_error : public std::system_error {
 public:
  storage_error(std::error_code code, std::string_view operation, const std::filesystem::path& path);

  /// For sizes: what the caller wanted and what there was, in bytes, and where in the storage the first lost byte stands.
  storage_error(std::error_code code, std::string_view operation, const std::filesystem::path& path, std::int64_t wanted_bytes,
                std::int64_t found_bytes, std::optional<std::int64_t> first_bad_offset = std::nullopt);

  /// The path as it was given to the call.
  const std::filesystem::path& path() const noexcept;

  /// The step that failed: "open", "map", "extend", "flush" and so on.
  std::string_view operation() const noexcept;

  /// Bytes that the file would have to hold; empty where sizes are not at fault.
  std::optional<std::int64_t> wanted_bytes() const noexcept;

  /// Bytes that the file holds; empty where sizes are not at fault.
  std::optional<std::int64_t> found_bytes() const noexcept;

  /// Bytes from the start of the storage to the first one that is lost; empty where none is.
  std::optional<std::int64_t> first_bad_offset() const noexcept;

 private:
  struct details;
  storage_error(std::error_code code, const std::string& text, details&& kept);

  std::shared_ptr<const details> details_;
};

}  // namespace tensorplay

template <>
struct std::is_error_code_enum<tensorplay::storage_errc> : std::true_type {};
