module;
#if !defined(__clang__)
#include <cstdint>
#include <filesystem>
#include <optional>
#endif

export module tensorplay.storage:loading;

import tensorplay.standard;
import :handle;

export namespace tensorplay {

/// Copies bytes of a regular file into memory; the file is not looked at again.
///
/// Below a mebibyte this beats any mapping, and what happens to the file later does not matter: on network file systems too. A mapping
/// costs no memory, reads only what is used, and sees the stores of others.
///
/// filename, nbytes, offset_bytes  as of map_file.
/// Errors    those of map_file, and what the device reports while it is read. std::bad_alloc.
/// On error  nothing stays open.
/// Cost      stat, open, fstat, pread, close and the copy; memory of nbytes.
storage load_file(const std::filesystem::path& filename, std::optional<std::int64_t> nbytes, std::int64_t offset_bytes = 0);

}  // namespace tensorplay
