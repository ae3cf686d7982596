module;
#if !defined(__clang__)
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#endif

export module tensorplay.functional:from_file;

import tensorplay.standard;
import tensorplay.storage;
import tensorplay.tensor;
import :options;

namespace tensorplay::inline functional {

/// Whether one dimension may be -1, to be taken from the file.
enum class extent { given, from_the_file };

/// What files are told of an element type.
struct element_facts {
  dtype type;
  std::int64_t nbytes;
  std::int64_t alignment;
};

template <element T>
inline constexpr element_facts facts_of{dtype_of<T>, sizeof(T), alignof(T)};

/// Judges all arguments, then maps the elements of a shape; sets the dimension that is -1.
///
/// elements  options may say no dtype or theirs.
/// is_const  they cannot be written.
storage map_elements(const std::filesystem::path& filename, bool shared, std::span<std::int64_t> shape, extent open_dimension,
                     element_facts elements, bool is_const, const from_file_options& options);

/// The same, copied instead of mapped.
storage load_elements(const std::filesystem::path& filename, std::span<std::int64_t> shape, extent open_dimension,
                      element_facts elements, const load_options& options);

template <element T, std::size_t Rank>
tensor<T, Rank> map_typed(const std::filesystem::path& filename, std::optional<bool> shared, std::array<std::int64_t, Rank> shape,
                          extent open_dimension, const from_file_options& options) {
  auto bytes = map_elements(filename, shared.value_or(false), shape, open_dimension, facts_of<T>, traits::constant<T>, options);
  // map_elements has judged size, alignment and access: nothing is left for the tensor to check
  const tensor_view<T, Rank> elements{reinterpret_cast<T*>(const_cast<std::byte*>(bytes.data())), shape};
  return {static_cast<storage&&>(bytes), elements};
}

template <native_element T, std::size_t Rank>
tensor<T, Rank> load_typed(const std::filesystem::path& filename, std::array<std::int64_t, Rank> shape, extent open_dimension,
                           const load_options& options) {
  return {load_elements(filename, shape, open_dimension, facts_of<T>, options), shape};
}

}  // namespace tensorplay::inline functional

export namespace tensorplay::inline functional {

/// Stands for a size: every element that the file holds.
struct whole_file_t {};
inline constexpr whole_file_t whole_file{};

/// Maps the start of a file as a one-dimensional tensor; no element is read until it is touched.
///
/// filename  Regular file of native-endian elements; symbolic links are followed. A header is skipped with `.offset`.
/// shared    true: stores reach the file and every other shared mapping of it; a missing file is created with mode 0600 less the
///           umask, a short one extended with zeros, its space reserved unless `.sparse`. false, the default: the file is opened
///           read-only and stores stay in this tensor; it must hold the elements.
/// size      Elements, not bytes. Zero gives an empty tensor and touches no file. Bytes behind the last element are ignored.
/// options   dtype: empty is get_default_dtype(). layout, device, pin_memory: strided, CPU and false alone.
///
/// Shape     (size,), stride 1.
/// Errors    std::invalid_argument: an argument that can never work: pinned memory, another layout or device, a negative size,
///           one whose bytes overflow, an offset that the elements' alignment forbids, an empty filename or one with a NUL. They are
///           judged in this order, before the file system is touched. storage_error: what the file or the system refuses: it is
///           missing, too short or not a regular file; no rights, no space.
/// On error  nothing stays mapped or open; a file that the call would have created does not exist, a short one has its old size.
/// Lifetime  until the last tensor of the storage is gone; the file may be renamed, replaced or unlinked meanwhile. A process
///           that makes it shorter turns an access behind its new end into a SIGBUS; under a fault_guard it is an error.
/// Threads   distinct elements at once; the same element needs the caller's lock.
/// Cost      stat, open, fstat, mmap, close; independent of size. Pages load on first touch.
/// Source    tensorplay.functional.from_file
any_tensor from_file(const std::filesystem::path& filename, std::optional<bool> shared = {}, std::int64_t size = 0,
                     from_file_options options = {});

/// The same with a shape; one dimension may be -1 and is taken from the file, which then must exist.
///
/// Errors    also storage_error (partial_element): the file holds no whole number of rows. std::invalid_argument: two -1, a zero
///           beside -1.
any_tensor from_file(const std::filesystem::path& filename, std::optional<bool> shared, dims shape,
                     from_file_options options = {});

/// The same with every element that the file holds from `.offset` on. An empty file gives an empty tensor, a missing one an error.
///
/// Errors    also storage_error (partial_element): the file holds no whole number of elements.
any_tensor from_file(const std::filesystem::path& filename, std::optional<bool> shared, whole_file_t,
                     from_file_options options = {});

/// The same with a compile-time dtype; `.dtype` may be left out. T const maps for reading alone and never changes a file.
/// packed<T, std::endian> takes any offset and the byte order of other machines.
template <element T>
tensor<T> from_file(const std::filesystem::path& filename, std::optional<bool> shared = {}, std::int64_t size = 0,
                    from_file_options options = {}) {
  return map_typed<T, 1>(filename, shared, {size}, extent::given, options);
}

/// Compile-time dtype and shape: `from_file<std::uint8_t>("images", false, {60'000, 28, 28}, {.offset = 16})`.
template <element T, std::size_t Rank>
  requires(Rank >= 2)
tensor<T, Rank> from_file(const std::filesystem::path& filename, std::optional<bool> shared, const std::int64_t (&shape)[Rank],
                          from_file_options options = {}) {
  return map_typed<T, Rank>(filename, shared, traits::to_array(shape), extent::from_the_file, options);
}
template <element T, std::size_t Rank>
tensor<T, Rank> from_file(const std::filesystem::path& filename, std::optional<bool> shared, std::array<std::int64_t, Rank> shape,
                          from_file_options options = {}) {
  return map_typed<T, Rank>(filename, shared, shape, extent::from_the_file, options);
}

/// Compile-time dtype, every element that the file holds.
template <element T>
tensor<T> from_file(const std::filesystem::path& filename, std::optional<bool> shared, whole_file_t,
                    from_file_options options = {}) {
  return map_typed<T, 1>(filename, shared, {-1}, extent::from_the_file, options);
}

/// Copies elements of a file into memory: a tensor that no file stands behind.
///
/// To choose where files are small (below a mebibyte it beats any mapping), where all of it is used anyway and somebody may change it,
/// and on network file systems. Otherwise map: from_file costs no memory and reads what is used.
///
/// filename, size  as of from_file: elements, a shape with one -1, or whole_file. The offset need not be aligned.
/// Errors          those of a private from_file, and what the device reports. std::bad_alloc.
/// On error        nothing stays open.
/// Cost            stat, open, fstat, pread, close and the copy.
any_tensor load(const std::filesystem::path& filename, std::int64_t size, load_options options = {});
any_tensor load(const std::filesystem::path& filename, dims shape, load_options options = {});
any_tensor load(const std::filesystem::path& filename, whole_file_t, load_options options = {});
template <native_element T>
  requires(!traits::constant<T>)
tensor<T> load(const std::filesystem::path& filename, std::int64_t size, load_options options = {}) {
  return load_typed<T, 1>(filename, {size}, extent::given, options);
}
template <native_element T, std::size_t Rank>
  requires(Rank >= 2 && !traits::constant<T>)
tensor<T, Rank> load(const std::filesystem::path& filename, const std::int64_t (&shape)[Rank], load_options options = {}) {
  return load_typed<T, Rank>(filename, traits::to_array(shape), extent::from_the_file, options);
}
template <native_element T>
  requires(!traits::constant<T>)
tensor<T> load(const std::filesystem::path& filename, whole_file_t, load_options options = {}) {
  return load_typed<T, 1>(filename, {-1}, extent::from_the_file, options);
}

}  // namespace tensorplay::inline functional
