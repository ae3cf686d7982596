// Elements of resident memory copied as another type, against libtorch and against copying as many bytes.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "config.hpp"
#include "reporter.hpp"
#include "torch.hpp"

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

constexpr std::int64_t numel{std::int64_t{16} << 20};

void add(tp::dtype from, tp::dtype to, std::vector<bench::comparison>& compared) {
  const auto prefix = std::string{tp::name(from)} + "_to_" + std::string{tp::name(to)};
  const auto source = tp::ones({numel}, {.dtype = from});
  const auto result = tp::zeros({numel}, {.dtype = to});
  bench::add_case(prefix + "/tensorplay", [=](benchmark::State& state) {
    result.zero_();
    result.copy_(source);
    if (tp::sum(result).to<double>() != static_cast<double>(numel)) return state.SkipWithError("a wrong copy");
    for (auto _ : state) result.copy_(source);
  });
  bench::add_case(prefix + "/memcpy", [=](benchmark::State& state) {
    const auto nbytes = static_cast<std::size_t>((source.nbytes() + result.nbytes()) / 2);
    const auto one = tp::ones<std::uint8_t>(static_cast<std::int64_t>(nbytes));
    const auto other = one.clone();
    for (auto _ : state) {
      std::memcpy(other.data(), one.data(), nbytes);
      benchmark::ClobberMemory();
    }
  });
  compared.push_back({prefix + "/tensorplay", prefix + "/memcpy"});
  if constexpr (bench::with_torch) {
    bench::add_case(prefix + "/torch", [=](benchmark::State& state) {
      const bench::torch_tensor peer{source.data(), numel, std::string{tp::name(from)}};
      const bench::torch_tensor copy{result.data(), numel, std::string{tp::name(to)}};
      for (auto _ : state) copy.copy_from(peer);
    });
    compared.push_back({prefix + "/tensorplay", prefix + "/torch", 1.0});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if constexpr (bench::with_torch) bench::use_one_torch_thread();
  std::vector<bench::comparison> compared;
  add(tp::float16, tp::float32, compared);
  add(tp::bfloat16, tp::float32, compared);
  add(tp::uint8, tp::float32, compared);
  add(tp::int64, tp::float32, compared);
  add(tp::float32, tp::float64, compared);
  add(tp::float32, tp::float16, compared);
  add(tp::float32, tp::bfloat16, compared);
  add(tp::float32, tp::uint8, compared);
  add(tp::uint8, tp::float16, compared);
  return bench::run(argc, argv, compared, 20);
}
