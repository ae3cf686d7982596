module;
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>

module tensorplay.storage;

import :descriptor;
import :fault_handler;
import :pages;

namespace tensorplay {
namespace {

/// Lets SIGBUS through to this thread.
class unblocked_bus_error {
 public:
  unblocked_bus_error() {
    ::sigset_t bus_error;
    ::sigset_t former;
    ::sigemptyset(&bus_error);
    ::sigaddset(&bus_error, SIGBUS);
    ::pthread_sigmask(SIG_UNBLOCK, &bus_error, &former);
    was_blocked_ = ::sigismember(&former, SIGBUS) == 1;
  }
  unblocked_bus_error(const unblocked_bus_error&) = delete;
  unblocked_bus_error& operator=(const unblocked_bus_error&) = delete;
  ~unblocked_bus_error() {
    if (!was_blocked_ || ::pthread_equal(thread_, ::pthread_self()) == 0) return;
    ::sigset_t bus_error;
    ::sigemptyset(&bus_error);
    ::sigaddset(&bus_error, SIGBUS);
    ::pthread_sigmask(SIG_BLOCK, &bus_error, nullptr);
  }

 private:
  ::pthread_t thread_ = ::pthread_self();
  bool was_blocked_;
};

class watched_file {
 public:
  watched_file(storage bytes, const file_pages& pages)
      : bytes_{std::move(bytes)}, pages_{pages}, file_{pages.watch()}, watch_{pages, file_.number()} {}

  /// end_bytes  of the range that matters.
  void check(std::int64_t end_bytes) const {
    std::optional<file_facts> file;
    if (file_.number() != -1) file = look_at(file_.number(), pages_.native_filename());
    pages_.require_whole("guard", end_bytes, file);
  }
  void check() const { check(bytes_.nbytes()); }

  bool guards(const storage& bytes) const noexcept { return pages_behind(bytes) == &pages_; }

 private:
  storage bytes_;
  const file_pages& pages_;
  descriptor file_;
  page_watch watch_;  // ends first
};

}  // namespace

class fault_guard::watches {
 public:
  std::deque<watched_file> files;

 private:
  unblocked_bus_error unblocked_;
};

fault_guard::fault_guard(std::initializer_list<storage> several) : fault_guard{std::span{several.begin(), several.size()}} {}

fault_guard::fault_guard(std::span<const storage> several) {
  for (const auto& bytes : several) {
    const auto* pages = pages_behind(bytes);
    if (pages == nullptr) continue;
    if (!watches_) watches_ = std::make_unique<watches>();
    watches_->files.emplace_back(bytes, *pages);
  }
}

fault_guard::~fault_guard() = default;

void fault_guard::check() const {
  if (!watches_) return;
  for (const auto& file : watches_->files) file.check();
}

void fault_guard::check(const storage& bytes, std::int64_t offset_bytes, std::int64_t nbytes) const {
  require_range(bytes, offset_bytes, nbytes);
  if (!watches_ || nbytes == 0) return;
  for (const auto& file : watches_->files) {
    if (file.guards(bytes)) file.check(offset_bytes + nbytes);
  }
}

void fault_guard::commit() {
  check();
  watches_.reset();
}

}  // namespace tensorplay
