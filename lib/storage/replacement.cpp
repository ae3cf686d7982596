module;
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
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

std::string byte_counts(std::int64_t wanted, std::int64_t found) {
  return "file_replacement: wanted " + std::to_string(wanted) + " bytes, found " + std::to_string(found);
}

[[noreturn]] void throw_exists(const std::filesystem::path& filename) {
  throw storage_error{system_error_code(EEXIST), "create", filename};
}

/// The file that is going to be replaced, if there is one, once it is known that it may be.
std::optional<file_facts> replaceable(const std::filesystem::path& filename, const replacement_options& options) {
  auto facts = look_at(filename);
  if (!facts) return facts;
  require_regular(*facts, filename);
  if (!options.overwrite && !options.append) throw_exists(filename);
  // A rename asks for rights on the folder alone; a file that may not be written must not change all the same.
  if (::faccessat(AT_FDCWD, filename.c_str(), W_OK, AT_EACCESS) != 0) throw_errno("open", filename);
  return facts;
}

std::int64_t require_count(std::int64_t nbytes) {
  if (nbytes < 0) throw std::invalid_argument{byte_counts(0, nbytes)};
  return nbytes;
}

}  // namespace

class file_replacement::writer {
 public:
  writer(const std::filesystem::path& filename, std::int64_t nbytes, const replacement_options& options)
      : filename_{filename},
        target_{follow_links(filename)},
        options_{options},
        nbytes_{require_count(nbytes)},
        alone_{options.append ? std::optional<growth_lock>{filename} : std::nullopt},
        replaced_{replaceable(filename, options)},
        old_{options.append && replaced_ ? open_old() : descriptor{}},
        kept_{old_.number() != -1 ? look_at(old_.number(), filename).nbytes : 0},
        temporary_{target_, replaced_ ? S_IRUSR | S_IWUSR : 0666u, filename} {
    if (options.durable) folder_ = open_folder();
    const auto all = checked_add(kept_, nbytes);
    if (!all) throw storage_error{system_error_code(EFBIG), "write", filename_, nbytes_, kept_};
    require_size_within_limit(*all, "write", filename);
    const auto reserve = [&] { return ::fallocate(number(), 0, 0, *all); };
    if (*all > 0 && retry(reserve) != 0 && !is_unsupported(errno)) {
      throw storage_error{system_error_code(errno), "write", filename_, *all, 0};
    }
    if (kept_ > 0) copy_kept();
  }

  void write(std::span<const std::byte> bytes) {
    constexpr std::size_t most_at_once{std::size_t{1} << 30};  // write(2) takes less than 2 GiB in one call
    if (std::cmp_greater(bytes.size(), nbytes_ - written_)) {
      throw std::invalid_argument{byte_counts(nbytes_, written_ + static_cast<std::int64_t>(bytes.size()))};
    }
    while (!bytes.empty()) {
      const auto taken = retry([&] { return ::write(number(), bytes.data(), std::min(bytes.size(), most_at_once)); });
      if (taken < 0) throw_errno("write", filename_);
      if (taken == 0) throw storage_error{system_error_code(EIO), "write", filename_};
      bytes = bytes.subspan(static_cast<std::size_t>(taken));
      written_ += taken;
    }
  }

  storage map() {
    if (written_ != 0) throw std::invalid_argument{byte_counts(0, written_)};
    if (nbytes_ == 0) return {};
    // Where the space could not be reserved, the file is still empty.
    if (retry([&] { return ::ftruncate(number(), kept_ + nbytes_); }) != 0) throw_errno("write", filename_);
    auto bytes = map_temporary(temporary_, filename_, nbytes_, kept_);
    written_ = nbytes_;
    mapped_pages_ = bytes.get();
    mapped_ = storage{std::move(bytes)};
    return mapped_;
  }

  void commit() {
    if (written_ != nbytes_) throw std::invalid_argument{byte_counts(nbytes_, written_)};
    if (replaced_) keep_owner_and_mode();
    if (options_.durable && retry([&] { return ::fsync(number()); }) != 0) throw_errno("sync", filename_);
    if (mapped_pages_ != nullptr) mapped_pages_->remember_now(number());  // stores through it have changed the time
    temporary_.close();
    if (options_.overwrite || options_.append) {
      temporary_.replace();
    } else if (!temporary_.publish()) {
      throw_exists(filename_);
    }
    if (folder_.number() != -1 && retry([&] { return ::fsync(folder_.number()); }) != 0 && !is_unsupported(errno)) {
      throw_errno("sync the folder of", filename_);
    }
  }

 private:
  int number() const noexcept { return temporary_.file().number(); }

  descriptor open_old() {
    descriptor opened{retry([&] { return ::open(target_.c_str(), O_RDONLY | O_CLOEXEC); })};
    if (opened.number() == -1) throw_errno("open", filename_);
    return opened;
  }

  void copy_kept() {
    for (std::int64_t copied = 0; copied < kept_;) {
      const auto taken =
          retry([&] { return ::sendfile(number(), old_.number(), nullptr, static_cast<std::size_t>(kept_ - copied)); });
      if (taken < 0) throw_errno("write", filename_);
      if (taken == 0) throw storage_error{storage_errc::truncated, "append to", filename_, kept_, copied};
      copied += taken;
    }
  }

  void keep_owner_and_mode() {
    // The owner is kept where the system lets us: nobody but root may give a file away.
    [[maybe_unused]] const auto ignored = ::fchown(number(), replaced_->owner, replaced_->group);
    if (::fchmod(number(), replaced_->mode & 07777) != 0) throw_errno("write", filename_);
  }

  /// Opened before anything has happened. A folder that may be written but not read cannot be opened, and so not be synced.
  descriptor open_folder() {
    descriptor opened{retry([&] { return ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })};
    if (opened.number() == -1 && errno != EACCES) throw_errno("open the folder of", filename_);
    return opened;
  }

  const std::filesystem::path filename_;
  const std::filesystem::path target_;
  const replacement_options options_;
  const std::int64_t nbytes_;
  const std::optional<growth_lock> alone_;
  const std::optional<file_facts> replaced_;
  const descriptor old_;
  const std::int64_t kept_;  // bytes of the old file that stay in front
  temporary_file temporary_;
  descriptor folder_;
  storage mapped_;
  file_pages* mapped_pages_ = nullptr;  // of mapped_
  std::int64_t written_ = 0;
};

file_replacement::file_replacement(const std::filesystem::path& filename, std::int64_t nbytes, replacement_options options) {
  require_valid_filename(filename);
  writer_ = std::make_unique<writer>(filename, nbytes, options);
}

file_replacement::file_replacement(file_replacement&&) noexcept = default;
file_replacement& file_replacement::operator=(file_replacement&&) noexcept = default;
file_replacement::~file_replacement() = default;

void file_replacement::write(std::span<const std::byte> bytes) { open_writer().write(bytes); }

storage file_replacement::map() { return open_writer().map(); }

void file_replacement::commit() {
  open_writer().commit();
  writer_.reset();
}

file_replacement::writer& file_replacement::open_writer() const {
  if (!writer_)
    throw std::invalid_argument{"file_replacement: one not yet committed was wanted, found a committed or moved-from one"};
  return *writer_;
}

}  // namespace tensorplay
