#include <algorithm>
#include <array>
#include <catch2/catch_message.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support.hpp"

import tensorplay.storage;
import tensorplay.tensor;

namespace tp = tensorplay;

static_assert(std::is_trivially_copyable_v<tp::any_view>);
static_assert(std::is_convertible_v<tp::tensor<float, 2>, tp::any_view>);
static_assert(std::is_convertible_v<tp::tensor_view<const int>, tp::any_view>);
static_assert(std::is_convertible_v<tp::any_tensor, tp::any_view>);
static_assert(!std::is_convertible_v<std::vector<int>, tp::any_view>);

namespace {

using index = std::vector<std::int64_t>;

/// A view by plain indices: its shape, and for each index in row-major order the value there.
struct model {
  index shape;
  std::vector<std::int32_t> values;

  std::int64_t numel() const { return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{}); }
  std::int32_t at(const index& where) const {
    std::int64_t position = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) position = position * shape[d] + where[d];
    return values[static_cast<std::size_t>(position)];
  }
};

void for_each_index(const index& shape, const std::function<void(const index&)>& function, index at = {}) {
  if (at.size() == shape.size()) return function(at);
  at.push_back(0);
  for (; at.back() < shape[at.size() - 1]; ++at.back()) for_each_index(shape, function, at);
}

/// The model whose element at an index is the old one at from(index).
model remapped(const model& old, const index& shape, const std::function<index(index)>& from) {
  model made{shape, {}};
  for_each_index(shape, [&](const index& at) { made.values.push_back(old.at(from(at))); });
  return made;
}

model of(const tp::any_view& view) {
  model made{{view.shape().begin(), view.shape().end()}, {}};
  for_each_index(made.shape, [&](const index& at) {
    auto offset = std::int64_t{0};
    for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * view.strides()[d];
    made.values.push_back(reinterpret_cast<const std::int32_t*>(view.data())[offset]);
  });
  return made;
}

class random_views {
 public:
  explicit random_views(unsigned seed) : random_{seed} {}

  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>{low, high}(random_);
  }
  std::int64_t dimension(const model& of) { return number(0, static_cast<std::int64_t>(of.shape.size()) - 1); }

  index shape(std::int64_t low) {
    index made;
    for (auto rank = number(1, 4); rank > 0; --rank) made.push_back(number(low, 5));
    return made;
  }

  /// One random step, done to the view and to the model.
  void step(tp::any_view& view, model& expected) {
    const auto rank = static_cast<std::int64_t>(expected.shape.size());
    switch (rank == 0 ? number(6, 7) : number(0, 8)) {
      case 0: return slice(view, expected);
      case 1: return select(view, expected);
      case 2: return narrow(view, expected);
      case 3: return permute(view, expected);
      case 4: return transpose(view, expected);
      case 5: return squeeze(view, expected);
      case 6: return unsqueeze(view, expected);
      case 7: return expand(view, expected);
      default: return reshape(view, expected);
    }
  }

 private:
  void slice(tp::any_view& view, model& expected) {
    const auto d = dimension(expected);
    const auto extent = expected.shape[static_cast<std::size_t>(d)];
    const auto start = number(-7, 7);
    const auto stop = number(-7, 7);
    const auto step = number(1, 3);
    const auto counted = [&](std::int64_t at) { return at < 0 ? at + extent : at; };
    index kept;
    for (std::int64_t at = 0; at < extent; ++at) {
      const auto first = std::max<std::int64_t>(counted(start), 0);
      if (at >= first && at < counted(stop) && (at - first) % step == 0) kept.push_back(at);
    }
    auto shape = expected.shape;
    shape[static_cast<std::size_t>(d)] = static_cast<std::int64_t>(kept.size());
    view = view.slice(d - (number(0, 1) == 1 ? std::ssize(shape) : 0), start, stop, step);
    expected = remapped(expected, shape, [&](index at) {
      at[static_cast<std::size_t>(d)] = kept[static_cast<std::size_t>(at[static_cast<std::size_t>(d)])];
      return at;
    });
  }

  void select(tp::any_view& view, model& expected) {
    const auto d = dimension(expected);
    const auto extent = expected.shape[static_cast<std::size_t>(d)];
    if (extent == 0) return;
    const auto chosen = number(-extent, extent - 1);
    auto shape = expected.shape;
    shape.erase(shape.begin() + d);
    view = view.select(d, chosen);
    expected = remapped(expected, shape, [&](index at) {
      at.insert(at.begin() + d, chosen < 0 ? chosen + extent : chosen);
      return at;
    });
  }

  void narrow(tp::any_view& view, model& expected) {
    const auto d = dimension(expected);
    auto shape = expected.shape;
    auto& extent = shape[static_cast<std::size_t>(d)];
    const auto start = number(0, extent);
    extent = number(0, extent - start);
    view = view.narrow(d, start, extent);
    expected = remapped(expected, shape, [&](index at) {
      at[static_cast<std::size_t>(d)] += start;
      return at;
    });
  }

  void permute(tp::any_view& view, model& expected) {
    index order(expected.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    permute_by(order, expected);
    view = view.permute(tp::dims{std::span<const std::int64_t>{order}});
  }

  void transpose(tp::any_view& view, model& expected) {
    const auto one = dimension(expected);
    const auto other = dimension(expected);
    index order(expected.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[static_cast<std::size_t>(one)], order[static_cast<std::size_t>(other)]);
    permute_by(order, expected);
    view = view.transpose(one, other);
  }

  static void permute_by(const index& order, model& expected) {
    index shape;
    for (const auto from : order) shape.push_back(expected.shape[static_cast<std::size_t>(from)]);
    expected = remapped(expected, shape, [&](const index& at) {
      index old(at.size());
      for (std::size_t to = 0; to < at.size(); ++to) old[static_cast<std::size_t>(order[to])] = at[to];
      return old;
    });
  }

  void squeeze(tp::any_view& view, model& expected) {
    view = view.squeeze();
    std::erase(expected.shape, 1);
  }

  void unsqueeze(tp::any_view& view, model& expected) {
    if (expected.shape.size() > 5) return;
    const auto d = number(0, std::ssize(expected.shape));
    expected.shape.insert(expected.shape.begin() + d, 1);
    view = view.unsqueeze(d);
  }

  void expand(tp::any_view& view, model& expected) {
    if (expected.numel() > 2000 || expected.shape.size() > 5) return;
    auto shape = expected.shape;
    for (auto& extent : shape) {
      if (extent == 1) extent = number(0, 3);
    }
    shape.insert(shape.begin(), number(1, 2));
    view = view.expand(tp::dims{std::span<const std::int64_t>{shape}});
    expected = remapped(expected, shape, [&](index at) {
      at.erase(at.begin());
      for (std::size_t d = 0; d < at.size(); ++d) at[d] = expected.shape[d] == 1 ? 0 : at[d];
      return at;
    });
  }

  /// In the same order of elements, or else refused.
  void reshape(tp::any_view& view, model& expected) {
    if (expected.numel() == 0) return;
    index shape;
    auto left = expected.numel();
    for (const std::int64_t factor : {2, 3, 5}) {
      if (left % factor == 0) {
        shape.push_back(factor);
        left /= factor;
      }
    }
    shape.push_back(left);
    std::shuffle(shape.begin(), shape.end(), random_);
    try {
      view = view.reshape(tp::dims{std::span<const std::int64_t>{shape}});
      expected.shape = shape;
    } catch (const std::invalid_argument&) {
      CHECK_FALSE(view.is_contiguous());
    }
  }

  std::mt19937 random_;
};

void check_random_views(const tp::any_tensor& tensor, unsigned seed) {
  random_views random{seed};
  for (int sequence = 0; sequence < 60; ++sequence) {
    tp::any_view view = tensor;
    auto expected = of(view);
    for (int step = 0; step < 6; ++step) {
      random.step(view, expected);
      const auto found = of(view);
      INFO("seed " << seed << ", sequence " << sequence << ", step " << step << ", shape " << tp::shape_text(view.shape()));
      REQUIRE(found.shape == expected.shape);
      REQUIRE(found.values == expected.values);
      REQUIRE(view.numel() == expected.numel());
    }
  }
}

void fill_counting(std::byte* first, std::int64_t count) {
  std::iota(reinterpret_cast<std::int32_t*>(first), reinterpret_cast<std::int32_t*>(first) + count, 1);
}

std::int64_t numel(const index& shape) { return model{shape, {}}.numel(); }

}  // namespace

TEST_CASE("random sequences of views of memory show what plain indices show", "[any_view]") {
  const auto seed = GENERATE(range(0U, 30U));
  const auto shape = random_views{seed}.shape(seed % 5 == 0 ? 0 : 1);
  const auto bytes = tp::allocate(numel(shape) * 4);
  if (bytes.nbytes() > 0) fill_counting(bytes.mutable_data(), numel(shape));
  check_random_views({bytes, tp::int32, tp::dims{std::span<const std::int64_t>{shape}}}, seed);
}

TEST_CASE("random sequences of views of mapped files show what plain indices show", "[any_view]") {
  const support::temporary_folder folder;
  std::vector<std::int32_t> values(120);
  std::iota(values.begin(), values.end(), 1);
  support::bytes content(480);
  std::memcpy(content.data(), values.data(), 480);
  support::write_bytes(folder / "f", content);
  for (const auto mode : {tp::access::read_only, tp::access::copy_on_write}) {
    check_random_views({tp::map_file(folder / "f", 480, {.mode = mode}), tp::int32, {4, 5, 6}}, 100);
  }
  check_random_views({tp::map_file(folder / "f", 480, {.mode = tp::access::read_write, .shared = true}), tp::int32, {2, 60}},
                     101);
  CHECK(support::read_bytes(folder / "f") == content);
}

TEST_CASE("views of a typed tensor and of one of run-time type are the same", "[any_view]") {
  std::vector<std::int32_t> values(120);
  const tp::tensor_view<std::int32_t, 3> typed{values.data(), {4, 5, 6}};
  const tp::any_view any = typed;
  const auto same = [](const tp::any_view& one, const tp::any_view& other) {
    return one.data() == other.data() && one.shape() == other.shape() && one.strides() == other.strides();
  };
  CHECK(same(typed.slice(1, 1, -1, 2), any.slice(1, 1, -1, 2)));
  CHECK(same(typed.select(-1, 2), any.select(-1, 2)));
  CHECK(same(typed.row(-2), any.select(0, -2)));
  CHECK(same(typed.narrow(2, 1, 3), any.narrow(2, 1, 3)));
  CHECK(same(typed.permute(2, 0, 1), any.permute({2, 0, 1})));
  CHECK(same(typed.transpose(0, -1), any.transpose(0, -1)));
  CHECK(same(typed.unsqueeze(1), any.unsqueeze(1)));
  CHECK(same(typed.unsqueeze(-1).squeeze(3), any.unsqueeze(-1).squeeze(3)));
  CHECK(same(typed.select(0, 1).unsqueeze(0).expand(7, -1, 6), any.select(0, 1).unsqueeze(0).expand({7, -1, 6})));
  CHECK(same(typed.reshape(-1, 12), any.reshape({-1, 12})));
  CHECK(same(typed.flatten(), any.flatten()));
  CHECK(same(typed.view_as<std::int16_t>(), any.view_as(tp::int16)));
}

TEST_CASE("squeeze of a dimension of several elements changes nothing at run time", "[any_view]") {
  const tp::any_tensor t{tp::allocate_zeroed(24), tp::float32, {2, 3}};
  CHECK(t.squeeze(0).shape() == tp::dims{2, 3});
  CHECK_THROWS_AS(t.squeeze(2), std::out_of_range);
}

TEST_CASE("a view of run-time type without elements is safe", "[any_view]") {
  const tp::any_view none;
  CHECK(none.numel() == 0);
  CHECK(none.shape() == tp::dims{0});
  CHECK(none.flatten().numel() == 0);
  CHECK(none.slice(0, 1, 5).numel() == 0);
  CHECK_THROWS_AS(none.select(0, 0), std::out_of_range);
}

TEST_CASE("stores to a read-only view of run-time type are refused", "[any_view]") {
  const std::vector<float> values{1, 2};
  const tp::any_view view = tp::tensor_view<const float>{values.data(), {2}};
  CHECK_FALSE(view.is_writable());
  CHECK_THROWS_AS(view.mutable_data(), std::invalid_argument);
}
