// Arguments of from_file on a file of 100 bytes: a tensor that can be read and written, or an error of the documented kinds.
#include <fuzzer/FuzzedDataProvider.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

import tensorplay.functional;

namespace tp = tensorplay;

namespace {

std::int64_t any_size(FuzzedDataProvider& input) {
  return input.ConsumeBool() ? input.ConsumeIntegralInRange<std::int64_t>(-1, 120) : input.ConsumeIntegral<std::int64_t>();
}

tp::any_tensor open(FuzzedDataProvider& input, const std::filesystem::path& file) {
  tp::from_file_options options;
  if (input.ConsumeBool()) options.dtype = static_cast<tp::dtype>(input.ConsumeIntegralInRange(0, 20));
  if (input.ConsumeIntegralInRange(0, 9) == 0) options.layout = static_cast<tp::layout>(input.ConsumeIntegralInRange(0, 5));
  if (input.ConsumeIntegralInRange(0, 9) == 0) options.device = tp::device{input.ConsumeRandomLengthString(8)};
  options.pin_memory = input.ConsumeIntegralInRange(0, 9) == 0;
  options.offset = input.ConsumeBool() ? 0 : any_size(input);
  options.sparse = input.ConsumeBool();
  options.read_only = input.ConsumeBool();
  const std::optional<bool> shared = input.ConsumeBool() ? std::optional{input.ConsumeBool()} : std::nullopt;
  switch (input.ConsumeIntegralInRange(0, 2)) {
    case 0: return tp::from_file(file, shared, any_size(input), options);
    case 1: return tp::from_file(file, shared, tp::whole_file, options);
    default: {
      std::vector<std::int64_t> shape(input.ConsumeIntegralInRange<std::size_t>(0, 9));
      for (auto& extent : shape) extent = any_size(input);
      return tp::from_file(file, shared, tp::dims{shape}, options);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto file = [] {
    const ::rlimit limit{1 << 20, 1 << 20};  // larger files are refused
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return std::filesystem::temp_directory_path() / ("tensorplay-fuzz-" + std::to_string(::getpid()));
  }();
  std::ofstream{file, std::ios::binary} << std::string(100, 'x');
  FuzzedDataProvider input{data, size};
  try {
    const auto t = open(input, file);
    if (t.is_writable()) t.copy_(t.clone());
    tp::verify(t);
    if (t.nbytes() > (1 << 20)) std::abort();
  } catch (const std::invalid_argument&) {
  } catch (const tp::storage_error&) {
  }
  if (std::filesystem::file_size(file) < 100) std::abort();
  std::filesystem::remove(file);
  return 0;
}
