export module tensorplay.tensor:defaults;

import :device;
import :dtype;

// Here, for printing asks for them; in the namespace of the functions, where the documentation has them. It is inline: the
// documentation's own example calls tensorplay.from_file, so every function is visible in tensorplay too.
export namespace tensorplay::inline functional {

/// Sets the dtype of tensors for which none is given; float32 at first.
///
/// Errors    std::invalid_argument: not a floating-point dtype.
/// Threads   process-wide, safe to call from any thread.
/// Source    tensorplay.set_default_dtype
void set_default_dtype(dtype type);

/// The dtype of tensors for which none is given.
dtype get_default_dtype() noexcept;

/// Sets the device of tensors for which none is given; the CPU at first.
///
/// Threads   each thread has its own.
/// Source    tensorplay.set_default_device
void set_default_device(device where) noexcept;

/// The device of tensors for which none is given, in this thread.
device get_default_device() noexcept;

}  // namespace tensorplay::inline functional
