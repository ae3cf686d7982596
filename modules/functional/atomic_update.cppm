module;
#if !defined(__clang__)
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#endif

export module tensorplay.functional:atomic_update;

import tensorplay.standard;
import tensorplay.storage;
import tensorplay.tensor;

namespace tensorplay::inline functional {

/// A new file and its bytes, not yet under its name.
struct update {
  file_replacement file;
  storage bytes;
};

/// Judges the arguments and makes the new file.
update start_update(const std::filesystem::path& filename, std::span<const std::int64_t> shape, std::int64_t itemsize,
                    const replacement_options& options);

template <element T, std::size_t Rank, class Fill>
tensor<T, Rank> update_typed(const std::filesystem::path& filename, const std::array<std::int64_t, Rank>& shape, Fill& fill,
                             const replacement_options& options) {
  auto started = start_update(filename, shape, sizeof(T), options);
  const tensor<T, Rank> elements{started.bytes, shape};
  fill(elements);
  started.file.commit();
  return elements;
}

}  // namespace tensorplay::inline functional

export namespace tensorplay::inline functional {

/// Writes a whole new array through a mapping and publishes it under the file's name in one step: who opens or has mapped the file
/// sees all of the old array or all of the new one.
///
///     atomic_update<float>("table.bin", {rows, 16}, [&](auto& table) { table.copy_(computed); });
///
/// size, shape  of the new array; its elements are zero at first.
/// fill         called once with the tensor. If it throws, the file is as it was.
/// options      .durable, .overwrite as of tofile.
///
/// Returns   the tensor: a shared mapping of the file, now under its name.
/// Errors    std::invalid_argument: a negative size, one whose bytes overflow, a filename that is empty or has a NUL, .append.
///           storage_error: not a regular file, or the system refuses.
/// On error  as of tofile: the file is as it was, and nothing lies beside it.
/// Threads   several updates at once: each is whole, the last one stays.
/// Cost      that of a new file of the size, reserved before fill is called.
template <element T, class Fill>
  requires(!traits::constant<T>)
tensor<T> atomic_update(const std::filesystem::path& filename, std::int64_t size, Fill&& fill, replacement_options options = {}) {
  return update_typed<T, 1>(filename, {size}, fill, options);
}
template <element T, std::size_t Rank, class Fill>
  requires(!traits::constant<T>)
tensor<T, Rank> atomic_update(const std::filesystem::path& filename, const std::int64_t (&shape)[Rank], Fill&& fill,
                              replacement_options options = {}) {
  return update_typed<T, Rank>(filename, traits::to_array(shape), fill, options);
}

/// The same with a dtype known at run time; fill takes an any_tensor.
template <class Fill>
any_tensor atomic_update(const std::filesystem::path& filename, const dims& shape, dtype type, Fill&& fill,
                         replacement_options options = {}) {
  auto started = start_update(filename, {shape.data(), shape.size()}, itemsize(type), options);
  const any_tensor elements{started.bytes, type, shape};
  fill(elements);
  started.file.commit();
  return elements;
}

}  // namespace tensorplay::inline functional
