module;
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <utility>

module tensorplay.functional;

namespace tensorplay::inline functional {

update start_update(const std::filesystem::path& filename, std::span<const std::int64_t> shape, std::int64_t itemsize,
                    const replacement_options& options) {
  if (options.append) throw std::invalid_argument{"atomic_update: append = false was wanted, found true; tofile appends"};
  file_replacement file{filename, end_in_bytes(numel_of(shape), itemsize), options};
  auto bytes = file.map();
  return {std::move(file), std::move(bytes)};
}

}  // namespace tensorplay::inline functional
