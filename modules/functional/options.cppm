module;
#if !defined(__clang__)
#include <cstdint>
#include <optional>
#endif

export module tensorplay.functional:options;

import tensorplay.standard;
import tensorplay.tensor;

export namespace tensorplay::inline functional {

/// The keyword arguments of the creation functions: `{.dtype = tp::float64}`.
struct tensor_options {
  std::optional<tensorplay::dtype> dtype = {};    ///< empty: the default dtype
  tensorplay::layout layout = strided;            ///< strided alone
  std::optional<tensorplay::device> device = {};  ///< empty: the default device; the CPU alone
  bool pin_memory = false;                        ///< false alone
};

/// The keyword arguments of load.
struct load_options {
  std::optional<tensorplay::dtype> dtype = {};    ///< empty: the default dtype
  tensorplay::layout layout = strided;            ///< strided alone
  std::optional<tensorplay::device> device = {};  ///< empty: the default device; the CPU alone
  bool pin_memory = false;                        ///< false alone
  std::int64_t offset = 0;                        ///< where the first element stands in the file, in bytes
};

/// The keyword arguments of from_file. The first four are the documented ones.
struct from_file_options {
  std::optional<tensorplay::dtype> dtype = {};    ///< empty: the default dtype
  tensorplay::layout layout = strided;            ///< strided alone
  std::optional<tensorplay::device> device = {};  ///< empty: the default device; the CPU alone
  bool pin_memory = false;                        ///< false alone: a mapped file cannot be pinned
  std::int64_t offset = 0;                        ///< where the first element stands in the file, in bytes
  bool sparse = false;                            ///< extends a shared file without reserving disk space
  bool read_only = false;                         ///< maps for reading alone; as<const T>() then gives the typed tensor
};

}  // namespace tensorplay::inline functional

namespace tensorplay::inline functional {

/// Reports the first argument that judge() refuses.
[[noreturn]] void refuse(const char* function, const tensor_options& options);

/// Judges the arguments that all creation functions share, in the documented order, and gives the dtype.
///
/// function  for the message.
/// Errors    std::invalid_argument: pin_memory, a layout but strided, a device but the CPU, a number that is no dtype.
inline dtype judge(const char* function, const tensor_options& options) {
  const bool is_on_cpu = options.device ? options.device->is_cpu() : get_default_device().is_cpu();
  if (options.pin_memory || options.layout != strided || !is_on_cpu) refuse(function, options);
  const auto type = options.dtype ? *options.dtype : get_default_dtype();
  itemsize(type);  // throws where the number is no dtype
  return type;
}

}  // namespace tensorplay::inline functional
