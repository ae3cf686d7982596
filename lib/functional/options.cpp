module;
#include <stdexcept>
#include <string>

module tensorplay.functional;

namespace tensorplay::inline functional {

dtype judge(const char* function, const tensor_options& options) {
  const std::string prefix{std::string{function} + ": "};
  if (options.pin_memory) {
    throw std::invalid_argument{prefix +
                                "pin_memory = false was wanted, found true: tensors backed by a mapped file, and those on "
                                "the heap, cannot be pinned"};
  }
  if (options.layout != strided) {
    throw std::invalid_argument{prefix + "the layout strided was wanted, found " + std::string{name(options.layout)}};
  }
  const auto where = options.device.value_or(get_default_device());
  if (!where.is_cpu()) throw std::invalid_argument{prefix + "the device cpu was wanted, found " + where.str()};
  const auto type = options.dtype.value_or(get_default_dtype());
  itemsize(type);  // throws where the number is no dtype
  return type;
}

}  // namespace tensorplay::inline functional
