module;
#include <stdexcept>
#include <string>

module tensorplay.functional;

namespace tensorplay::inline functional {

dtype judge(const char* function, const tensor_options& options) {
  const auto refuse = [&](const std::string& wanted_and_found) {
    throw std::invalid_argument{std::string{function} + ": " + wanted_and_found};
  };
  if (options.pin_memory) {
    refuse("pin_memory = false was wanted, found true: tensors backed by a mapped file, and those on the heap, cannot be pinned");
  }
  if (options.layout != strided) refuse("the layout strided was wanted, found " + std::string{name(options.layout)});
  const auto where = options.device.value_or(get_default_device());
  if (!where.is_cpu()) refuse("the device cpu was wanted, found " + where.str());
  const auto type = options.dtype.value_or(get_default_dtype());
  itemsize(type);  // throws where the number is no dtype
  return type;
}

}  // namespace tensorplay::inline functional
