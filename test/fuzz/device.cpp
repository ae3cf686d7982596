// Device strings: accepted and printed as they were, or refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

import tensorplay.tensor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  try {
    const tensorplay::device device{text};
    if (tensorplay::device{device.str()} != device) std::abort();
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
