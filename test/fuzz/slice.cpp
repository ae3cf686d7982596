// Slices: Python's rules, and no element outside.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

std::int64_t any_place(FuzzedDataProvider& input) {
  return input.ConsumeBool() ? input.ConsumeIntegralInRange<std::int64_t>(-12, 12) : input.ConsumeIntegral<std::int64_t>();
}

/// What Python's slice.indices gives.
std::vector<std::int64_t> sliced(const std::vector<std::int64_t>& all, std::int64_t start, std::int64_t stop, std::int64_t step) {
  const auto count = static_cast<std::int64_t>(all.size());
  const auto place = [&](std::int64_t at) { return std::clamp(at < 0 ? at + count : at, std::int64_t{0}, count); };
  std::vector<std::int64_t> some;
  const auto end = place(stop);
  for (auto at = place(start); at < end; at += std::min(step, end - at)) some.push_back(all[static_cast<std::size_t>(at)]);
  return some;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input{data, size};
  const auto all = tp::arange<std::int64_t>(10);
  tp::tensor<std::int64_t, 1, tp::memory_format::strided> t = all;
  std::vector<std::int64_t> model(all.begin(), all.end());
  while (input.remaining_bytes() > 0) {
    const auto start = any_place(input);
    const auto stop = any_place(input);
    const auto step = any_place(input);
    try {
      if (input.ConsumeBool()) {
        t = t.slice(0, start, stop, step);
        model = sliced(model, start, stop, step);
      } else {
        t = t.narrow(0, start, stop);
        model = sliced(model, start, start < 0 && start + stop == 0 ? tp::slice_end : start + stop, 1);
        if (static_cast<std::int64_t>(model.size()) != stop) std::abort();
      }
    } catch (const std::invalid_argument&) {
    } catch (const std::out_of_range&) {
    }
    if (!std::equal(t.begin(), t.end(), model.begin(), model.end())) std::abort();
  }
  return 0;
}
