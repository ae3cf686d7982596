module;
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

module tensorplay.storage;

namespace tensorplay {
namespace {

class category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "tensorplay.storage"; }
  std::string message(int code) const override {
    switch (static_cast<storage_errc>(code)) {
      case storage_errc::not_a_regular_file: return "not a regular file";
      case storage_errc::file_too_short: return "the file is too short";
      case storage_errc::partial_element: return "the file does not hold a whole number of elements";
      case storage_errc::truncated: return "the file was truncated while it was mapped";
    }
    return "unknown storage error " + std::to_string(code);
  }
};

const category the_category;

std::string message(std::string_view operation, const std::filesystem::path& path) {
  return std::string{operation}.append(" \"").append(path.string()).append("\"");
}

std::string byte_counts(std::int64_t wanted, std::int64_t found, std::optional<std::int64_t> first_bad) {
  return " (wanted " + std::to_string(wanted) + " bytes, found " + std::to_string(found) + " bytes" +
         (first_bad ? ", the first bad one at offset " + std::to_string(*first_bad) : "") + ")";
}

}  // namespace

struct storage_error::details {
  std::filesystem::path path;
  std::string operation;
  std::optional<std::int64_t> wanted_bytes;
  std::optional<std::int64_t> found_bytes;
  std::optional<std::int64_t> first_bad_offset;
};

const std::error_category& storage_category() noexcept { return the_category; }

std::error_code make_error_code(storage_errc code) noexcept { return {static_cast<int>(code), storage_category()}; }

storage_error::storage_error(std::error_code code, const std::string& text, details&& kept)
    : std::system_error{code, text}, details_{std::make_shared<const details>(std::move(kept))} {}

storage_error::storage_error(std::error_code code, std::string_view operation, const std::filesystem::path& path)
    : storage_error{code, message(operation, path), details{path, std::string{operation}, {}, {}, {}}} {}

storage_error::storage_error(std::error_code code, std::string_view operation, const std::filesystem::path& path,
                             std::int64_t wanted_bytes, std::int64_t found_bytes, std::optional<std::int64_t> first_bad_offset)
    : storage_error{code, message(operation, path) + byte_counts(wanted_bytes, found_bytes, first_bad_offset),
                    details{path, std::string{operation}, wanted_bytes, found_bytes, first_bad_offset}} {}

const std::filesystem::path& storage_error::path() const noexcept { return details_->path; }
std::string_view storage_error::operation() const noexcept { return details_->operation; }
std::optional<std::int64_t> storage_error::wanted_bytes() const noexcept { return details_->wanted_bytes; }
std::optional<std::int64_t> storage_error::found_bytes() const noexcept { return details_->found_bytes; }
std::optional<std::int64_t> storage_error::first_bad_offset() const noexcept { return details_->first_bad_offset; }

}  // namespace tensorplay
