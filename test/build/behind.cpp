// Headers of the standard library behind the import, which the README asks nobody to write; g++ 14 refuses it.
import tensorplay.functional;

#include <algorithm>
#include <complex>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

// 0 when what the library returns is what the headers declare.
int main() {
  const auto t = tensorplay::arange<float>(3);
  const std::vector<float> copied(t.begin(), t.end());
  const std::span<float> all = t.span();
  const std::optional<std::int32_t> index = tensorplay::device{}.index();
  const bool same = copied.size() == all.size() && t.storage().filename().empty() && index == std::nullopt;
  return same && *std::ranges::max_element(t) == 2 ? 0 : 1;
}
