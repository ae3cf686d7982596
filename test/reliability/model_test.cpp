// Random sequences of public calls against a model: a vector of bytes for each file. A sequence that fails is shrunk.
#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "support.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr int files = 3;
constexpr std::int64_t most_bytes = 9'000;

enum class verb {
  map,
  map_all,
  store,
  fill,
  drop,
  copy,
  save,
  save_if_missing,
  append,
  update,
  give_up_update,
  flush,
  verify,
  guard,
  read,
  view,
  unlink,
  rename,
};
constexpr int verbs = static_cast<int>(verb::rename) + 1;

/// What is done; what the numbers mean depends on it.
struct step {
  verb what;
  int file;
  int tensor;
  int kind;
  std::int64_t size;
  std::int64_t place;
};

std::ostream& operator<<(std::ostream& out, const step& done) {
  return out << "{verb " << static_cast<int>(done.what) << ", file " << done.file << ", tensor " << done.tensor << ", kind "
             << done.kind << ", size " << done.size << ", place " << done.place << "}";
}

/// The content of a file, which outlives its name.
using node = std::shared_ptr<support::bytes>;

/// A tensor and what the model knows of it.
struct mapped {
  tp::tensor<std::uint8_t> tensor;
  node file;  // null for memory
  std::int64_t offset = 0;
  bool shared = false;
  std::shared_ptr<std::map<std::int64_t, std::uint8_t>>
      stores;  // of a private tensor, and the rest of the pages that they copied

  std::uint8_t expected(std::int64_t at) const {
    if (stores) {
      if (const auto own = stores->find(offset + at); own != stores->end()) return own->second;
    }
    return (*file)[static_cast<std::size_t>(offset + at)];
  }
};

class world {
 public:
  void apply(const step& next) {
    const auto name = path(next.file);
    switch (next.what) {
      case verb::map: return map(next);
      case verb::map_all: return map_all(next);
      case verb::unlink: std::filesystem::remove(name); return named(next.file).reset();
      case verb::rename: return rename(next.file, next.kind % files);
      case verb::update: return update(next);
      case verb::give_up_update: return give_up_update(next);
      default: break;
    }
    if (tensors_.empty()) return;
    auto& chosen = tensors_[static_cast<std::size_t>(next.tensor) % tensors_.size()];
    const auto& t = chosen.tensor;
    const auto value = static_cast<std::uint8_t>(next.kind);
    switch (next.what) {
      case verb::store:
        if (next.place < t.numel()) store(chosen, next.place, 1, value);
        break;
      case verb::fill:
        store(chosen, std::min(next.place, t.numel()), std::min(next.size, t.numel() - std::min(next.place, t.numel())), value);
        break;
      case verb::drop:
        std::swap(chosen, tensors_.back());
        tensors_.pop_back();
        break;
      case verb::copy: tensors_.push_back(in_memory(t.clone(), content_of(chosen))); break;
      case verb::save: save(chosen, next, {.durable = false}); break;
      case verb::save_if_missing: save(chosen, next, {.durable = false, .overwrite = false}); break;
      case verb::append: save(chosen, next, {.durable = false, .append = true}); break;
      case verb::flush: t.flush(); break;
      case verb::verify: tp::verify(t, {.load = value % 2 == 0}); break;
      case verb::guard: tp::fault_guard{t}.commit(); break;
      case verb::read: {
        support::bytes read(t.size());
        t.read_checked(std::span{read});
        RC_ASSERT(read == content_of(chosen));
        break;
      }
      case verb::view: {
        auto part = chosen;
        part.tensor = tp::tensor<std::uint8_t>{chosen.tensor.slice(0, next.place, next.place + next.size)};
        part.offset += std::min(next.place, t.numel());
        tensors_.push_back(part);
        break;
      }
      default: break;
    }
  }

  void check() const {
    for (int file = 0; file < files; ++file) {
      RC_ASSERT(std::filesystem::exists(path(file)) == static_cast<bool>(named(file)));
      if (named(file)) RC_ASSERT(support::read_bytes(path(file)) == *named(file));
    }
    for (const auto& one : tensors_) {
      RC_ASSERT(support::bytes(one.tensor.begin(), one.tensor.end()) == content_of(one));
      RC_ASSERT(one.tensor.is_shared() == (one.shared && one.tensor.storage().nbytes() > 0));
    }
    RC_ASSERT(folder_.names().size() ==
              static_cast<std::size_t>(std::ranges::count_if(named_, [](auto& one) { return one != nullptr; })));
  }

 private:
  std::filesystem::path path(int file) const { return folder_ / std::to_string(file); }
  node& named(int file) { return named_[static_cast<std::size_t>(file)]; }
  const node& named(int file) const { return named_[static_cast<std::size_t>(file)]; }

  static support::bytes content_of(const mapped& one) {
    support::bytes content(one.tensor.size());
    for (std::size_t at = 0; at < content.size(); ++at) content[at] = one.expected(static_cast<std::int64_t>(at));
    return content;
  }

  static mapped in_memory(tp::tensor<std::uint8_t> tensor, support::bytes content) {
    return {std::move(tensor), std::make_shared<support::bytes>(std::move(content)), 0, false, nullptr};
  }

  void map(const step& next) {
    const bool shared = next.kind % 2 == 0;
    const auto offset = next.place;
    const auto end = offset + next.size;
    auto& file = named(next.file);
    const bool is_short = !file || std::cmp_less(file->size(), end);
    if (next.size > 0 && !shared && is_short) {
      const auto error = support::caught<tp::storage_error>([&] { open(next, shared); });
      RC_ASSERT(error.has_value());
      RC_ASSERT(error->code() ==
                (file ? std::error_code{tp::storage_errc::file_too_short} : std::error_code{ENOENT, std::system_category()}));
      return;
    }
    auto tensor = open(next, shared);
    RC_ASSERT(tensor.numel() == next.size);
    if (next.size == 0) return;
    if (!file) file = std::make_shared<support::bytes>();
    if (is_short) file->resize(static_cast<std::size_t>(end));
    tensors_.push_back({std::move(tensor), file, offset, shared, shared ? nullptr : private_stores()});
  }

  void map_all(const step& next) {
    const bool shared = next.kind % 2 == 0;
    const auto& file = named(next.file);
    if (!file || std::cmp_less(file->size(), next.place)) {
      RC_ASSERT(support::caught<tp::storage_error>([&] { open_all(next, shared); }).has_value());
      return;
    }
    auto tensor = open_all(next, shared);
    RC_ASSERT(tensor.numel() == std::ssize(*file) - next.place);
    if (!tensor.empty()) tensors_.push_back({std::move(tensor), file, next.place, shared, shared ? nullptr : private_stores()});
  }

  static std::shared_ptr<std::map<std::int64_t, std::uint8_t>> private_stores() {
    return std::make_shared<std::map<std::int64_t, std::uint8_t>>();
  }
  tp::tensor<std::uint8_t> open(const step& next, bool shared) const {
    return tp::from_file<std::uint8_t>(path(next.file), shared, next.size, {.offset = next.place, .sparse = next.kind % 3 == 0});
  }
  tp::tensor<std::uint8_t> open_all(const step& next, bool shared) const {
    return tp::from_file<std::uint8_t>(path(next.file), shared, tp::whole_file, {.offset = next.place});
  }

  void store(const mapped& chosen, std::int64_t first, std::int64_t count, std::uint8_t value) {
    chosen.tensor.slice(0, first, first + count).fill_(value);
    const auto page = ::sysconf(_SC_PAGESIZE);
    for (auto at = chosen.offset + first; at < chosen.offset + first + count; ++at) {
      if (!chosen.stores) {
        (*chosen.file)[static_cast<std::size_t>(at)] = value;
        continue;
      }
      // A store copies the rest of its page: what the file gets there later is not seen.
      const auto begin = at / page * page;
      for (auto other = begin; other < begin + page && !chosen.stores->contains(other); ++other) {
        (*chosen.stores)[other] = std::cmp_less(other, chosen.file->size()) ? (*chosen.file)[static_cast<std::size_t>(other)] : 0;
      }
      (*chosen.stores)[at] = value;
    }
  }

  void save(const mapped& chosen, const step& next, tp::replacement_options options) {
    auto& file = named(next.file);
    if (file && !options.overwrite && !options.append) {
      const auto error = support::caught<tp::storage_error>([&] { chosen.tensor.tofile(path(next.file), options); });
      RC_ASSERT(error.has_value());
      RC_ASSERT(error->code() == std::errc::file_exists);
      return;
    }
    auto content = options.append && file ? *file : support::bytes{};
    if (content.size() > 10 * most_bytes) return;
    std::ranges::copy(content_of(chosen), std::back_inserter(content));
    chosen.tensor.tofile(path(next.file), options);
    file = std::make_shared<support::bytes>(std::move(content));
  }

  void update(const step& next) {
    const auto value = static_cast<std::uint8_t>(next.kind);
    auto made = tp::atomic_update<std::uint8_t>(path(next.file), next.size, [&](auto& t) { t.fill_(value); }, {.durable = false});
    auto& file = named(next.file);
    file = std::make_shared<support::bytes>(static_cast<std::size_t>(next.size), value);
    if (next.size > 0) tensors_.push_back({std::move(made), file, 0, true, nullptr});
  }

  void give_up_update(const step& next) {
    try {
      tp::atomic_update<std::uint8_t>(path(next.file), next.size, [](auto&) { throw 1; });
      RC_FAIL("the exception is gone");
    } catch (int) {
    }
  }

  void rename(int from, int to) {
    if (!named(from) || from == to) return;
    std::filesystem::rename(path(from), path(to));
    named(to) = std::exchange(named(from), nullptr);
  }

  support::temporary_folder folder_;
  std::vector<node> named_ = std::vector<node>(files);
  std::vector<mapped> tensors_;
};

rc::Gen<step> any_step() {
  const auto bytes = rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 20), rc::gen::inRange<std::int64_t>(0, most_bytes));
  return rc::gen::build<step>(
      rc::gen::set(&step::what, rc::gen::map(rc::gen::inRange(0, verbs), [](int number) { return static_cast<verb>(number); })),
      rc::gen::set(&step::file, rc::gen::inRange(0, files)), rc::gen::set(&step::tensor, rc::gen::inRange(0, 100)),
      rc::gen::set(&step::kind, rc::gen::inRange(0, 256)), rc::gen::set(&step::size, bytes), rc::gen::set(&step::place, bytes));
}

void showValue(const step& done, std::ostream& out) { out << done; }

}  // namespace

TEST_CASE("ten thousand random sequences of calls leave what the model says", "[model]") {
  const auto descriptors = support::open_descriptors();
  ::setenv("RC_PARAMS", "max_success=10000 max_size=40", 0);
  CHECK(rc::check("files and tensors hold what the model holds", [] {
    const auto steps = *rc::gen::container<std::vector<step>>(any_step());
    world played;
    for (const auto& next : steps) played.apply(next);
    played.check();
  }));
  CHECK(support::open_descriptors() == descriptors);
}
