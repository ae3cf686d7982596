// Shapes: views of 24 elements stay within them, whatever is asked for.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

tp::dims any_dims(FuzzedDataProvider& input) {
  std::vector<std::int64_t> extents(input.ConsumeIntegralInRange<std::size_t>(0, 10));
  for (auto& extent : extents) {
    extent = input.ConsumeBool() ? input.ConsumeIntegralInRange<std::int64_t>(-2, 24) : input.ConsumeIntegral<std::int64_t>();
  }
  return tp::dims{extents};
}

tp::any_tensor any_view(FuzzedDataProvider& input, const tp::any_tensor& t) {
  switch (input.ConsumeIntegralInRange(0, 6)) {
    case 0: return t.reshape(any_dims(input));
    case 1: return t.permute(any_dims(input));
    case 2: return t.transpose(input.ConsumeIntegral<std::int64_t>(), input.ConsumeIntegralInRange(-3, 3));
    case 3: return t.squeeze(input.ConsumeIntegralInRange(-5, 5));
    case 4: return t.unsqueeze(input.ConsumeIntegralInRange(-5, 5));
    case 5: return t.view_as(static_cast<tp::dtype>(input.ConsumeIntegralInRange(0, 20)));
    default: {
      const auto shape = any_dims(input);
      for (const auto extent : shape) {
        if (extent > 100) return t;  // expanded elements are there as often as one likes: too many to read
      }
      return shape.size() > 4 ? t : t.expand(shape);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input{data, size};
  static const tp::any_tensor all = tp::zeros<std::int32_t>(24);
  auto t = all;
  while (input.remaining_bytes() > 0) {
    try {
      t = any_view(input, t);
    } catch (const std::invalid_argument&) {
    } catch (const std::out_of_range&) {
    }
    if (t.numel() > 1'000'000) t = all;
    if (tp::count_nonzero(t) != 0) std::abort();  // reads every element
  }
  return 0;
}
