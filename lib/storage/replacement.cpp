module;
#include <fcntl.h>
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
import :temporary;

namespace tensorplay {
namespace {

std::string byte_counts(std::int64_t wanted, std::int64_t found) {
  return "file_replacement: wanted " + std::to_string(wanted) + " bytes, found " + std::to_string(found);
}

/// The file that is going to be replaced, if there is one, once it is known that it may be.
std::optional<file_facts> replaceable(const std::filesystem::path& filename) {
  auto facts = look_at(filename);
  if (!facts) return facts;
  require_regular(*facts, filename);
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
  writer(const std::filesystem::path& filename, std::int64_t nbytes)
      : filename_{filename},
        nbytes_{require_count(nbytes)},
        replaced_{replaceable(filename)},
        temporary_{follow_links(filename), replaced_ ? S_IRUSR | S_IWUSR : 0666u, filename} {
    require_size_within_limit(nbytes, "write", filename);
    const auto reserve = [&] { return ::fallocate(number(), 0, 0, nbytes_); };
    if (nbytes_ > 0 && retry(reserve) != 0 && errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS) {
      throw storage_error{system_error_code(errno), "write", filename_, nbytes_, 0};
    }
  }

  void write(std::span<const std::byte> bytes) {
    constexpr std::size_t most_at_once{std::size_t{1} << 30};  // write(2) takes less than 2 GiB in one call
    if (std::cmp_greater(bytes.size(), nbytes_ - written_)) {
      throw std::invalid_argument{byte_counts(nbytes_, written_ + static_cast<std::int64_t>(bytes.size()))};
    }
    while (!bytes.empty()) {
      const auto taken = retry([&] { return ::write(number(), bytes.data(), std::min(bytes.size(), most_at_once)); });
      if (taken < 0) throw_errno("write", filename_);
      bytes = bytes.subspan(static_cast<std::size_t>(taken));
      written_ += taken;
    }
  }

  void commit() {
    if (written_ != nbytes_) throw std::invalid_argument{byte_counts(nbytes_, written_)};
    if (replaced_) keep_owner_and_mode();
    if (retry([&] { return ::fsync(number()); }) != 0) throw_errno("sync", filename_);
    temporary_.replace();
    sync_folder();
  }

 private:
  int number() const noexcept { return temporary_.file().number(); }

  void keep_owner_and_mode() {
    // The owner is kept where the system lets us: nobody but root may give a file away.
    [[maybe_unused]] const auto ignored = ::fchown(number(), replaced_->owner, replaced_->group);
    if (::fchmod(number(), replaced_->mode & 07777) != 0) throw_errno("write", filename_);
  }

  void sync_folder() {
    const auto folder = folder_of(follow_links(filename_));
    // A folder that may be written but not read cannot be opened, and so not be synced.
    const descriptor opened{retry([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })};
    if (opened.number() != -1) ::fsync(opened.number());
  }

  const std::filesystem::path filename_;
  const std::int64_t nbytes_;
  const std::optional<file_facts> replaced_;
  temporary_file temporary_;
  std::int64_t written_ = 0;
};

file_replacement::file_replacement(const std::filesystem::path& filename, std::int64_t nbytes) {
  require_valid_filename(filename);
  writer_ = std::make_unique<writer>(filename, nbytes);
}

file_replacement::file_replacement(file_replacement&&) noexcept = default;
file_replacement& file_replacement::operator=(file_replacement&&) noexcept = default;
file_replacement::~file_replacement() = default;

void file_replacement::write(std::span<const std::byte> bytes) { open_writer().write(bytes); }

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
