module;
#include <stdexcept>
#include <string>

module tensorplay.functional;

namespace tensorplay::inline functional {

void refuse(const char* function, const tensor_options& options) {
  const auto wanted_and_found = [&]() -> std::string {
    if (options.pin_memory) {
      return "pin_memory = false was wanted, found true: tensors backed by a mapped file, and those on the heap, cannot be "
             "pinned";
    }
    if (options.layout != strided) return "the layout strided was wanted, found " + std::string{name(options.layout)};
    return "the device cpu was wanted, found " + options.device.value_or(get_default_device()).str();
  };
  throw std::invalid_argument{std::string{function} + ": " + wanted_and_found()};
}

}  // namespace tensorplay::inline functional
