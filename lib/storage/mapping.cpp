module;
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

module tensorplay.storage;

import :descriptor;
import :growth;
import :pages;
import :temporary;

namespace tensorplay {
namespace {

namespace ipc = boost::interprocess;

/// Bytes of a file that are going to be mapped, under the name that the user knows it by.
struct request {
  const std::filesystem::path& filename;
  std::optional<std::int64_t> nbytes;
  const map_options& options;

  std::int64_t end() const { return options.offset_bytes + nbytes.value_or(0); }
  bool may_grow() const { return options.create && options.mode == access::read_write && nbytes; }
  bool is_shared() const { return options.mode == access::read_write || (options.mode == access::read_only && options.shared); }
};

ipc::mode_t boosts_mode_for(const map_options& options) {
  switch (options.mode) {
    case access::read_write: return ipc::read_write;
    case access::copy_on_write: return ipc::copy_on_write;
    default: return options.shared ? ipc::read_only : ipc::read_private;
  }
}

/// A mapped region, and behind it in memory the name of its file: one allocation has both.
///
/// Where every system call empties the processor's tables of pages, a page that is touched after it costs as much as thirty instructions.
/// So the memory is allocated and freed where Boost allocates and frees as well: before the file is opened, before it is unmapped.
class mapped_block final : public file_pages {
 public:
  /// No region yet.
  static std::unique_ptr<mapped_block> make(const request& wanted) {
    const room for_name{wanted.filename.native().size() + 1};
    return std::unique_ptr<mapped_block>{new (for_name) mapped_block{wanted}};
  }

  static void operator delete(mapped_block* block, std::destroying_delete_t) {
    const ipc::mapped_region unmapped_last{std::move(block->region_)};
    block->~mapped_block();
    ::operator delete(block);
  }

  /// Errors    storage_error: the system refuses.
  void map(const request& wanted, const ipc::file_mapping& file, std::int64_t nbytes) {
    const auto& options = wanted.options;
    // Without NORESERVE a private map larger than memory is refused; only pages that are written cost memory.
    const auto more = options.mode == access::copy_on_write ? MAP_NORESERVE : ipc::default_map_options;
    try {
      region_ = ipc::mapped_region{
          file, boosts_mode_for(options), options.offset_bytes, static_cast<std::size_t>(nbytes), nullptr, more};
    } catch (const ipc::interprocess_exception& refused) {
      throw storage_error{system_error_code(refused.get_native_error()), "map", wanted.filename};
    }
    show(static_cast<std::byte*>(region_.get_address()), static_cast<std::int64_t>(region_.get_size()));
  }

 private:
  struct room {
    std::size_t nbytes;
  };

  // Not inlined, or g++ 14 takes it and the delete above for two that do not belong together.
  [[gnu::noinline]] static void* operator new(std::size_t own_bytes, room behind) {
    return ::operator new(own_bytes + behind.nbytes);
  }
  static void operator delete(void* first, room) { ::operator delete(first); }

  explicit mapped_block(const request& wanted)
      : file_pages{wanted.options.offset_bytes, wanted.options.mode, wanted.is_shared(),
                   std::strcpy(reinterpret_cast<char*>(this + 1), wanted.filename.c_str())} {}

  ipc::mapped_region region_;
};

ipc::file_mapping open_mapping(const request& wanted, const std::filesystem::path& path) {
  const auto mode = wanted.options.mode == access::read_write ? ipc::read_write : ipc::read_only;
  for (;;) {
    try {
      return ipc::file_mapping{path.c_str(), mode};
    } catch (const ipc::interprocess_exception& refused) {
      if (refused.get_native_error() == EINTR) continue;
      throw storage_error{system_error_code(refused.get_native_error()), "open", wanted.filename};
    }
  }
}

int number_of(const ipc::file_mapping& file) { return file.get_mapping_handle().handle; }

[[noreturn, gnu::cold]] void throw_too_short(const request& wanted, std::int64_t found) {
  throw storage_error{storage_errc::file_too_short, "map", wanted.filename, wanted.end(), found};
}

/// Maps what is long enough; nothing where the file has become too short since it was looked at and may grow.
std::optional<storage> map_existing(const request& wanted) {
  auto bytes = mapped_block::make(wanted);
  const auto file = open_mapping(wanted, wanted.filename);
  const auto found = look_at(number_of(file), wanted.filename);
  require_regular(found, wanted.filename);
  if (found.nbytes < wanted.end()) {
    if (wanted.may_grow()) return std::nullopt;
    throw_too_short(wanted, found.nbytes);
  }
  const auto nbytes = wanted.nbytes.value_or(found.nbytes - wanted.options.offset_bytes);
  if (nbytes == 0) return storage{};
  bytes->map(wanted, file, nbytes);
  bytes->remember(found);
  return storage{std::move(bytes)};
}

/// Maps a file together with bytes that it does not have yet, then extends it: after an error nobody has seen another size.
/// Nothing where the file is no longer the one that was looked at.
[[gnu::cold]] std::optional<storage> map_growing(const request& wanted) {
  const growth_lock alone{wanted.filename};
  const auto own = open_descriptor(wanted.filename, O_RDWR | O_NONBLOCK, "open");
  const auto found = look_at(own.number(), wanted.filename);
  require_regular(found, wanted.filename);
  if (found.nbytes >= wanted.end()) return std::nullopt;
  growth longer{own, wanted.filename, found.nbytes, wanted.end(), wanted.options.sparse};
  const auto file = open_mapping(wanted, wanted.filename);
  if (!look_at(number_of(file), wanted.filename).same_file_as(found)) return std::nullopt;
  auto bytes = mapped_block::make(wanted);
  bytes->map(wanted, file, *wanted.nbytes);
  longer.commit();
  bytes->remember_now(own.number());
  bytes->expect_new_pages();
  return storage{std::move(bytes)};
}

std::unique_ptr<mapped_block> map_made(const request& wanted, const temporary_file& made) {
  auto bytes = mapped_block::make(wanted);
  bytes->map(wanted, open_mapping(wanted, made.path()), *wanted.nbytes);
  bytes->remember_now(made.file().number());
  bytes->expect_new_pages();
  return bytes;
}

/// Makes a file in full under another name, maps it and gives it its name last. Nothing where somebody was faster.
[[gnu::cold]] std::optional<storage> map_new(const request& wanted) {
  temporary_file made{follow_links(wanted.filename), S_IRUSR | S_IWUSR, wanted.filename};
  growth{made.file(), wanted.filename, 0, wanted.end(), wanted.options.sparse}.commit();
  auto bytes = map_made(wanted, made);
  if (!made.publish()) return std::nullopt;
  return storage{std::move(bytes)};
}

[[noreturn, gnu::cold]] void throw_invalid_range(const std::optional<std::int64_t>& nbytes, std::int64_t offset_bytes) {
  if (nbytes.value_or(0) < 0 || offset_bytes < 0) {
    throw std::invalid_argument{"a byte count and an offset of zero or more were wanted, found " +
                                std::to_string(nbytes.value_or(0)) + " and " + std::to_string(offset_bytes)};
  }
  throw std::invalid_argument{"the end of the range was wanted below 2^63 bytes, found " + std::to_string(*nbytes) +
                              " bytes at offset " + std::to_string(offset_bytes)};
}

[[noreturn, gnu::cold]] void throw_invalid_filename(const std::string& name) {
  if (name.empty()) throw std::invalid_argument{"a filename was wanted, found an empty one"};
  throw std::invalid_argument{"a filename without NUL was wanted, found one at byte " + std::to_string(name.find('\0')) +
                              " of \"" + name.c_str() + '"'};
}

std::optional<storage> try_to_map(const request& wanted) {
  const auto found = look_at(wanted.filename);
  if (!found) {
    if (!wanted.may_grow()) throw storage_error{system_error_code(ENOENT), "open", wanted.filename};
    return map_new(wanted);
  }
  require_regular(*found, wanted.filename);
  if (wanted.may_grow() && found->nbytes < wanted.end()) return map_growing(wanted);
  return map_existing(wanted);
}

}  // namespace

std::unique_ptr<file_pages> map_temporary(const temporary_file& made, const std::filesystem::path& named_by_user,
                                          std::int64_t nbytes, std::int64_t offset_bytes) {
  const map_options options{.mode = access::read_write, .offset_bytes = offset_bytes};
  return map_made({named_by_user, nbytes, options}, made);
}

void require_valid_range(const std::optional<std::int64_t>& nbytes, std::int64_t offset_bytes) {
  const auto count = nbytes.value_or(0);
  if (count < 0 || offset_bytes < 0 || !checked_add(count, offset_bytes)) throw_invalid_range(nbytes, offset_bytes);
}

void require_valid_filename(const std::filesystem::path& filename) {
  const auto& name = filename.native();
  if (name.empty() || name.find('\0') != name.npos) throw_invalid_filename(name);
}

storage map_file(const std::filesystem::path& filename, std::optional<std::int64_t> nbytes, map_options options) {
  require_valid_range(nbytes, options.offset_bytes);
  require_valid_filename(filename);
  if (nbytes == 0) return {};
  const request wanted{filename, nbytes, options};
  for (;;) {  // again only when another process changed the file between the first look and the mapping
    if (auto bytes = try_to_map(wanted)) return *std::move(bytes);
  }
}

}  // namespace tensorplay
