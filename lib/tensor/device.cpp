module;
#include <charconv>
#include <cstdint>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

module tensorplay.tensor;

namespace tensorplay {
namespace {

std::string lower(std::string_view text) {
  std::string result{text};
  for (auto& letter : result) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return result;
}

/// The number of "N" without sign, blanks or anything behind it.
std::optional<std::int32_t> number_in(std::string_view text) {
  std::int32_t number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole_text = error == std::errc{} && end == text.data() + text.size();
  if (!is_whole_text || text.front() == '-') return std::nullopt;
  return number;
}

}  // namespace

device::device(std::string_view text) {
  const auto wanted = lower(text);
  const auto colon = wanted.find(':');
  const auto kind_text = wanted.substr(0, colon);
  if (kind_text == "cuda") kind_ = kind::cuda;
  if (colon != wanted.npos) index_ = number_in(std::string_view{wanted}.substr(colon + 1));
  if ((kind_text != "cpu" && kind_text != "cuda") || (colon != wanted.npos && !index_)) {
    throw std::invalid_argument{"a device \"cpu\", \"cuda\", \"cpu:N\" or \"cuda:N\" was wanted, found \"" + std::string{text} +
                                '"'};
  }
}

std::string device::str() const {
  std::string text{is_cpu() ? "cpu" : "cuda"};
  if (index_) text += ':' + std::to_string(*index_);
  return text;
}

std::ostream& operator<<(std::ostream& out, const device& where) { return out << where.str(); }

}  // namespace tensorplay
