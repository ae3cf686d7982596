module;
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

module tensorplay.storage;

import :descriptor;

namespace tensorplay {
namespace {

/// Fills memory with the bytes of a file from an offset on.
void read_into(const storage& bytes, const descriptor& file, std::int64_t offset_bytes, const std::filesystem::path& filename) {
  constexpr std::int64_t most_at_once{std::int64_t{1} << 30};  // read(2) gives less than 2 GiB in one call
  for (std::int64_t done = 0; done < bytes.nbytes();) {
    auto* to = bytes.mutable_data() + done;
    const auto count = static_cast<std::size_t>(std::min(bytes.nbytes() - done, most_at_once));
    const auto taken = retry([&] { return ::pread(file.number(), to, count, offset_bytes + done); });
    if (taken < 0) throw_errno("read", filename);
    if (taken == 0) {  // it was longer a moment ago
      throw storage_error{storage_errc::truncated, "read", filename, offset_bytes + bytes.nbytes(), offset_bytes + done, done};
    }
    done += taken;
  }
}

}  // namespace

storage load_file(const std::filesystem::path& filename, std::optional<std::int64_t> nbytes, std::int64_t offset_bytes) {
  require_valid_range(nbytes, offset_bytes);
  require_valid_filename(filename);
  if (nbytes == 0) return {};
  const auto named = look_at(filename);
  if (!named) throw storage_error{system_error_code(ENOENT), "open", filename};
  require_regular(*named, filename);
  const auto file = open_descriptor(filename, O_RDONLY | O_NONBLOCK, "open");
  const auto found = look_at(file.number(), filename);
  require_regular(found, filename);
  const auto end = offset_bytes + nbytes.value_or(0);
  if (found.nbytes < end) throw storage_error{storage_errc::file_too_short, "read", filename, end, found.nbytes};
  auto bytes = allocate(nbytes.value_or(found.nbytes - offset_bytes));
  read_into(bytes, file, offset_bytes, filename);
  return bytes;
}

}  // namespace tensorplay
