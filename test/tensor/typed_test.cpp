#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support.hpp"

import tensorplay.storage;
import tensorplay.tensor;

namespace tp = tensorplay;

static_assert(std::is_base_of_v<tp::tensor_view<float, 2>, tp::tensor<float, 2>>);
static_assert(std::is_nothrow_move_constructible_v<tp::tensor<float>> && std::is_nothrow_move_assignable_v<tp::tensor<float>>);
static_assert(std::is_convertible_v<tp::tensor<float>, tp::tensor<const float>>);
static_assert(!std::is_convertible_v<tp::tensor<const float>, tp::tensor<float>>);
static_assert(std::is_same_v<decltype(std::declval<tp::tensor<const float>&>()[0]), const float&>);

TEST_CASE("a tensor takes a share of a storage", "[typed]") {
  const auto bytes = tp::allocate_zeroed(48);
  tp::tensor<float, 2> t{bytes, {2, 4}, 16};
  t(1, 3) = 2.5F;
  CHECK(t.dtype() == tp::float32);
  CHECK(reinterpret_cast<const float*>(bytes.data())[11] == 2.5F);
  CHECK(t.storage().nbytes() == 48);
}

TEST_CASE("a storage that is too small, misaligned or read-only is refused", "[typed]") {
  const support::temporary_folder folder;
  support::write_bytes(folder / "f", support::bytes(64, 0));
  const auto bytes = tp::allocate(48);
  CHECK_THROWS_AS((tp::tensor<float, 2>{bytes, {2, 7}}), std::invalid_argument);
  CHECK_THROWS_AS((tp::tensor<float>{bytes, {12}, 4}), std::invalid_argument);
  CHECK_THROWS_AS((tp::tensor<float>{bytes, {1}, 2}), std::invalid_argument);
  CHECK_THROWS_AS((tp::tensor<float>{bytes, {1}, -4}), std::invalid_argument);
  const auto read_only = tp::map_file(folder / "f", 64, {.mode = tp::access::read_only});
  CHECK_THROWS_AS((tp::tensor<float>{read_only, {16}}), std::invalid_argument);
  CHECK(tp::tensor<const float>{read_only, {16}}.numel() == 16);
}

TEST_CASE("a moved-from tensor is empty and safe", "[typed]") {
  tp::tensor<int, 2> t{tp::allocate_zeroed(24), {2, 3}};
  const auto moved = std::move(t);
  CHECK(moved.numel() == 6);
  CHECK(t.numel() == 0);  // NOLINT: this is what is tested
  CHECK(t.span().empty());
  CHECK(t.begin() == t.end());
  CHECK(t.filename().empty());
  CHECK_FALSE(t.is_shared());
  t.flush();
  const auto copy = t;
  CHECK(copy.data() == nullptr);
  CHECK(t.slice(0).numel() == 0);
  CHECK(t.flatten().numel() == 0);
  t = moved;
  CHECK(t.numel() == 6);
  auto& same = t;
  t = std::move(same);
  CHECK(t.numel() == 6);
}

TEST_CASE("every view shares the elements and keeps them alive", "[typed]") {
  tp::tensor<int, 2> t{tp::allocate_zeroed(24), {2, 3}};
  for (int at = 0; auto& value : t) value = at++;
  const auto row = t.select(0, 1);
  const auto slice = t.slice(1, 1);
  const auto shaped = t.reshape(3, 2);
  const auto braced = t.reshape({6, -1});
  const auto flat = t.flatten();
  const auto turned = t.permute(1, 0);
  const tp::tensor<int> kept = t.reshape(-1).slice(0, 2, 5);
  t(1, 2) = 50;
  t = {};
  CHECK(row(2) == 50);
  CHECK(slice(1, 1) == 50);
  CHECK(shaped(2, 1) == 50);
  CHECK(braced.shape() == std::array<std::int64_t, 2>{6, 1});
  CHECK(flat[5] == 50);
  CHECK(turned(2, 1) == 50);
  CHECK(turned.transpose(0, 1)(1, 2) == 50);
  CHECK(std::vector<int>(kept.begin(), kept.end()) == std::vector<int>{2, 3, 4});
}

TEST_CASE("a tensor of rank zero holds one element", "[typed]") {
  tp::tensor<double, 0> one{tp::allocate_zeroed(8), std::array<std::int64_t, 0>{}};
  CHECK(one.numel() == 1);
  one() = 3.5;
  CHECK(one.at() == 3.5);
  CHECK(one.reshape(1)[0] == 3.5);
  CHECK(tp::tensor<double, 0>{}.numel() == 0);
}

TEST_CASE("every view of a tensor keeps the elements alive", "[typed]") {
  const auto made = [] {
    tp::tensor<std::int32_t, 3> t{tp::allocate_zeroed(48), {1, 3, 4}};
    t(0, 2, 3) = 7;
    return std::tuple{t.row(0),
                      t.narrow(0, 0, 1),
                      t.squeeze(0),
                      t.unsqueeze(0),
                      t.select(0, 0),
                      t.expand(2, 1, 3, 4),
                      t.view_as<std::uint8_t>(),
                      t.permute(2, 1, 0),
                      t.reshape(2, 6),
                      t.transpose(0, 2),
                      t.slice(0, 0),
                      t.flatten()};
  }();
  std::ptrdiff_t total = 0;
  std::apply([&](const auto&... view) { ((total += std::ranges::count(view, 7)), ...); }, made);
  CHECK(total == 13);  // expand shows it twice
}

namespace {
const std::int64_t page = ::sysconf(_SC_PAGESIZE);

/// Four pages of ones.
tp::tensor<std::uint8_t, 2> mapped_ones(const std::filesystem::path& path, bool shared = false) {
  support::write_bytes(path, support::bytes(static_cast<std::size_t>(4 * page), 1));
  const auto mode = shared ? tp::access::read_write : tp::access::copy_on_write;
  return {tp::map_file(path, 4 * page, {.mode = mode}), {4, page}};
}
}  // namespace

TEST_CASE("verify of a tensor looks at its own pages", "[typed]") {
  const support::temporary_folder folder;
  const auto t = mapped_ones(folder / "f");
  CHECK_NOTHROW(tp::verify(t));
  std::filesystem::resize_file(folder / "f", static_cast<std::uintmax_t>(2 * page));
  CHECK_THROWS_AS(tp::verify(t), tp::storage_error);
  CHECK_THROWS_AS(tp::verify(t.select(1, 0), {.load = false}), tp::storage_error);
  CHECK_NOTHROW(tp::verify(t.slice(0, 0, 2)));
  CHECK_NOTHROW(tp::verify(t.slice(0, 2, 2)));
  CHECK_NOTHROW(tp::verify(tp::tensor<float>{}));
}

TEST_CASE("read_checked copies elements in order and converts them", "[typed]") {
  const support::temporary_folder folder;
  const auto t = mapped_ones(folder / "f");
  t(1, 0) = 5;
  std::vector<double> column(4);
  t.select(1, 0).read_checked(std::span{column});
  CHECK(column == std::vector<double>{1, 5, 1, 1});
  std::vector<double> few(3);
  CHECK_THROWS_AS(t.select(1, 0).read_checked(std::span{few}), std::invalid_argument);
  std::vector<std::uint8_t> all(t.size());
  std::filesystem::resize_file(folder / "f", static_cast<std::uintmax_t>(2 * page));
  CHECK_THROWS_AS(t.read_checked(std::span{all}), tp::storage_error);
  CHECK_THROWS_AS(t.select(1, 0).read_checked(std::span{column}), tp::storage_error);
  all.resize(static_cast<std::size_t>(2 * page));
  CHECK_NOTHROW(t.slice(0, 0, 2).read_checked(std::span{all}));
  tp::tensor<float>{}.read_checked(std::span<float>{});
}

TEST_CASE("a tensor that lost elements is not copied and not saved", "[typed]") {
  const support::temporary_folder folder;
  const auto t = mapped_ones(folder / "f");
  support::write_bytes(folder / "saved", {1});
  std::filesystem::resize_file(folder / "f", static_cast<std::uintmax_t>(2 * page));
  const auto code_of = [](auto call) { return support::caught<tp::storage_error>(call).value().code(); };
  // the first two find the loss themselves: write(2) says EFAULT, gathering meets the guard
  CHECK(code_of([&] { t.tofile(folder / "saved"); }) == tp::storage_errc::truncated);
  CHECK(code_of([&] { t.transpose(0, 1).tofile(folder / "saved"); }) == tp::storage_errc::truncated);
  CHECK(code_of([&] { t.clone(); }) == tp::storage_errc::truncated);
  CHECK(code_of([&] { t.to<float>(); }) == tp::storage_errc::truncated);
  CHECK(code_of([&] { t.transpose(0, 1).contiguous(); }) == tp::storage_errc::truncated);
  CHECK(support::read_bytes(folder / "saved") == support::bytes{1});
  CHECK(folder.names() == std::vector<std::string>{"f", "saved"});
  t.slice(0, 0, 2).tofile(folder / "saved");
  CHECK(support::read_bytes(folder / "saved") == support::bytes(static_cast<std::size_t>(2 * page), 1));
}

TEST_CASE("a guard takes tensors", "[typed]") {
  const support::temporary_folder folder;
  const auto t = mapped_ones(folder / "f");
  const tp::any_tensor any{t};
  const tp::fault_guard guard{t, any, tp::tensor<float>{}};
  std::filesystem::resize_file(folder / "f", 0);
  CHECK(t(3, 0) == 0);
  CHECK_THROWS_AS(guard.check(), tp::storage_error);
}

TEST_CASE("flush of a view hands over its pages", "[typed]") {
  const support::temporary_folder folder;
  const auto t = mapped_ones(folder / "f", true);
  t(3, 1) = 9;
  t.row(3).flush();
  t.select(1, 1).flush();
  t.slice(0, 4).flush();
  t.flush();
  CHECK(support::read_bytes(folder / "f")[static_cast<std::size_t>(3 * page + 1)] == 9);
  CHECK_FALSE(tp::tensor<float>{}.is_stale());
}

TEST_CASE("tofile appends, refuses what is there and does not wait for the disk, as asked", "[typed]") {
  const support::temporary_folder folder;
  const std::vector<std::uint8_t> values{1, 2, 3};
  const tp::tensor_view<const std::uint8_t> view{values};
  view.tofile(folder / "f", {.overwrite = false});
  CHECK_THROWS_AS(view.tofile(folder / "f", {.overwrite = false}), tp::storage_error);
  view.tofile(folder / "f", {.durable = false, .append = true});
  tp::any_view{view}.tofile(folder / "f", {.overwrite = false, .append = true});
  CHECK(support::read_bytes(folder / "f") == support::bytes{1, 2, 3, 1, 2, 3, 1, 2, 3});
  view.tofile(folder / "new", {.append = true});
  CHECK(support::read_bytes(folder / "new") == support::bytes{1, 2, 3});
  CHECK(folder.names() == std::vector<std::string>{"f", "new"});
}

TEST_CASE("fill_ and copy_ replace large mappings, shared and private, and nothing beside the elements", "[typed]") {
  const support::temporary_folder folder;
  const bool shared = GENERATE(false, true);
  constexpr std::int64_t numel = 1'500'000;
  support::write_bytes(folder / "f", support::bytes(static_cast<std::size_t>(numel * 4 + 8), 1));
  const tp::map_options options{.mode = shared ? tp::access::read_write : tp::access::copy_on_write};
  const tp::tensor<std::int32_t> all{tp::map_file(folder / "f", numel * 4 + 8, options), {numel + 2}};
  const auto inner = all.slice(0, 1, numel + 1);
  const auto is_kept = [&] { return all[0] == 0x01010101 && all[numel + 1] == 0x01010101; };
  const auto holds = [&](auto value_of) {
    for (std::int64_t at = 0; at < numel; ++at) {
      if (inner[at] != value_of(at)) return false;
    }
    return true;
  };
  inner.fill_(7);
  CHECK(is_kept());
  CHECK(holds([](auto) { return 7; }));
  inner.fill_(8);
  CHECK(holds([](auto) { return 8; }));

  std::vector<std::int32_t> source(numel);
  std::iota(source.begin(), source.end(), 5);
  const tp::tensor<std::int32_t> again{tp::map_file(folder / "f", numel * 4 + 8, options), {numel + 2}};
  again.slice(0, 1, numel + 1).copy_(tp::tensor_view<std::int32_t>{source});
  CHECK(again[1] == 5);
  CHECK(again[numel] == static_cast<std::int32_t>(numel) + 4);
  CHECK(again[numel + 1] == 0x01010101);
  CHECK(all[numel] == (shared ? static_cast<std::int32_t>(numel) + 4 : 8));
  const tp::any_tensor any = again;
  any.zero_();
  CHECK(again[numel / 2] == 0);
  CHECK(support::read_bytes(folder / "f").front() == (shared ? 0 : 1));
  again.copy_(again.slice(0, 0, numel + 2));  // onto itself
  CHECK(again[1] == 0);
}

TEST_CASE("elements that lie across pages are filled in place", "[typed]") {
  const support::temporary_folder folder;
  constexpr std::int64_t numel = 600'000;
  support::write_bytes(folder / "f", support::bytes(static_cast<std::size_t>(numel * 16 + 8), 1));
  const tp::tensor<tp::complex128_t> t{tp::map_file(folder / "f", numel * 16 + 8), {numel}, 8};
  t.fill_(tp::complex128_t{1, 2});
  CHECK(std::ranges::all_of(t, [](auto z) { return z.real() == 1 && z.imag() == 2; }));
}
