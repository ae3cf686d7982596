module;
#include <atomic>
#include <stdexcept>
#include <string>

module tensorplay.tensor;

namespace tensorplay::inline functional {
namespace {

std::atomic<dtype> default_dtype{float32};
// A thread's own variable is found by a call; hardly a program sets one.
constinit std::atomic<bool> is_device_set{false};
constinit thread_local device default_device;

}  // namespace

void set_default_dtype(dtype type) {
  if (!is_floating_point(type)) {
    throw std::invalid_argument{"set_default_dtype: a floating-point dtype was wanted, found " + std::string{name(type)}};
  }
  default_dtype = type;
}

dtype get_default_dtype() noexcept { return default_dtype; }

void set_default_device(device where) noexcept {
  default_device = where;
  is_device_set = true;
}

device get_default_device() noexcept {
  if (is_device_set) [[unlikely]]
    return default_device;
  return {};
}

}  // namespace tensorplay::inline functional
