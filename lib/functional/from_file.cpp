module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

module tensorplay.functional;

namespace tensorplay::inline functional {
namespace {

constexpr std::int64_t open = -1;

/// Elements of one index of the open dimension.
std::int64_t elements_of_one(const char* function, std::span<const std::int64_t> shape) {
  if (std::ranges::count(shape, open) > 1) {
    throw std::invalid_argument{std::string{function} + ": a shape with at most one -1 was wanted, found " + shape_text(shape)};
  }
  dims others{shape};
  std::ranges::replace(others, open, std::int64_t{1});
  const auto known = numel_of(others);
  if (known == 0) {
    throw std::invalid_argument{std::string{function} + ": a shape without a zero beside -1 was wanted, found " +
                                shape_text(shape)};
  }
  return known;
}

[[noreturn]] void throw_other_type(const char* function, dtype found, dtype type) {
  throw std::invalid_argument{std::string{function} + ": the dtype " + std::string{name(type)} +
                              " of the element type was wanted, found " + std::string{name(found)}};
}

[[noreturn]] void throw_unaligned(std::int64_t offset, const element_facts& elements) {
  throw std::invalid_argument{"from_file: an offset that is a multiple of " + std::to_string(elements.alignment) +
                              " bytes was wanted for " + std::string{name(elements.type)} + ", found " + std::to_string(offset) +
                              "; the element type packed takes any"};
}

// What throws stands apart, so that what is always run is short: code that follows a system call is seldom in the processor's cache.

void require_type(const char* function, const std::optional<tensorplay::dtype>& wanted, dtype type) {
  if (wanted.value_or(type) != type) throw_other_type(function, *wanted, type);
}

void require_aligned_offset(std::int64_t offset, const element_facts& elements) {
  if (offset % elements.alignment != 0) throw_unaligned(offset, elements);
}

map_options mapping_of(bool shared, bool read_only, const from_file_options& options, bool is_open) {
  const auto writable = shared ? access::read_write : access::copy_on_write;
  return {
      .mode = read_only ? access::read_only : writable,
      .shared = shared,
      .offset_bytes = options.offset,
      .create = shared && !read_only && !is_open,
      .sparse = options.sparse,
  };
}

/// Which elements of which file are wanted, and by whom.
struct place {
  const char* function;
  const std::filesystem::path& filename;
  std::int64_t offset;
  element_facts elements;
};

element_facts facts_of_dtype(dtype type) {
  return dispatch(type, []<class T>() { return facts_of<T>; });
}

// Any place in the file does for a copy: it is aligned.
element_facts anywhere(element_facts elements) { return {elements.type, elements.nbytes, 1}; }

/// Judges what concerns the elements, then calls open with their bytes, or with nothing where the file says how many there are; sets
/// the dimension that is -1. The filename is for open to judge.
template <class Open>
storage bytes_of_elements(const place& wanted, std::span<std::int64_t> shape, extent open_dimension, Open open_bytes) {
  const auto open_extent = std::ranges::find(shape, open);
  const bool is_open = open_dimension == extent::from_the_file && open_extent != shape.end();
  const auto all_elements = [&] { return shape.size() == 1 ? shape.front() : numel_of(shape); };
  const auto known = is_open ? elements_of_one(wanted.function, shape) : all_elements();
  const auto end = end_in_bytes(known, wanted.elements.nbytes, wanted.offset);
  require_aligned_offset(wanted.offset, wanted.elements);

  const auto nbytes = end - wanted.offset;
  if (!is_open) return open_bytes(nbytes);
  auto bytes = open_bytes(std::nullopt);
  if (const auto behind = bytes.nbytes() % nbytes; behind != 0) {
    const auto found = wanted.offset + bytes.nbytes();
    throw storage_error{storage_errc::partial_element, "map", wanted.filename, found - behind + nbytes, found};
  }
  *open_extent = bytes.nbytes() / nbytes;
  return bytes;
}

storage map_judged(const place& wanted, bool shared, bool read_only, std::span<std::int64_t> shape, extent open_dimension,
                   const from_file_options& options) {
  return bytes_of_elements(wanted, shape, open_dimension, [&](std::optional<std::int64_t> nbytes) {
    return map_file(wanted.filename, nbytes, mapping_of(shared, read_only, options, !nbytes));
  });
}

storage load_judged(const place& wanted, std::span<std::int64_t> shape, extent open_dimension) {
  return bytes_of_elements(wanted, shape, open_dimension,
                           [&](std::optional<std::int64_t> nbytes) { return load_file(wanted.filename, nbytes, wanted.offset); });
}

any_tensor load_any(const std::filesystem::path& filename, dims shape, extent open_dimension, const load_options& options) {
  const auto type = judge("load", {options.dtype, options.layout, options.device, options.pin_memory});
  auto bytes = load_judged({"load", filename, options.offset, anywhere(facts_of_dtype(type))}, {shape.data(), shape.size()},
                           open_dimension);
  return {std::move(bytes), type, shape};
}

any_tensor map_any(const std::filesystem::path& filename, std::optional<bool> shared, dims shape, extent open_dimension,
                   const from_file_options& options) {
  const auto type = judge("from_file", {options.dtype, options.layout, options.device, options.pin_memory});
  auto bytes = map_judged({"from_file", filename, options.offset, facts_of_dtype(type)}, shared.value_or(false),
                          options.read_only, {shape.data(), shape.size()}, open_dimension, options);
  // as in map_typed, nothing is left to check
  auto* const first = const_cast<std::byte*>(bytes.data());
  return {std::move(bytes), {first, type, encoding::native, !options.read_only, shape, contiguous_strides(shape)}};
}

}  // namespace

storage map_elements(const std::filesystem::path& filename, bool shared, std::span<std::int64_t> shape, extent open_dimension,
                     element_facts elements, bool is_const, const from_file_options& options) {
  require_type("from_file", options.dtype, elements.type);
  if (options.read_only && !is_const) {
    throw std::invalid_argument{"from_file: elements of type T const were wanted with read_only, found T"};
  }
  judge("from_file", {elements.type, options.layout, options.device, options.pin_memory});
  return map_judged({"from_file", filename, options.offset, elements}, shared, is_const, shape, open_dimension, options);
}

storage load_elements(const std::filesystem::path& filename, std::span<std::int64_t> shape, extent open_dimension,
                      element_facts elements, const load_options& options) {
  require_type("load", options.dtype, elements.type);
  judge("load", {elements.type, options.layout, options.device, options.pin_memory});
  return load_judged({"load", filename, options.offset, anywhere(elements)}, shape, open_dimension);
}

any_tensor from_file(const std::filesystem::path& filename, std::optional<bool> shared, std::int64_t size,
                     from_file_options options) {
  return map_any(filename, shared, {size}, extent::given, options);
}

any_tensor from_file(const std::filesystem::path& filename, std::optional<bool> shared, dims shape, from_file_options options) {
  return map_any(filename, shared, shape, extent::from_the_file, options);
}

any_tensor from_file(const std::filesystem::path& filename, std::optional<bool> shared, whole_file_t, from_file_options options) {
  return map_any(filename, shared, {open}, extent::from_the_file, options);
}

any_tensor load(const std::filesystem::path& filename, std::int64_t size, load_options options) {
  return load_any(filename, {size}, extent::given, options);
}

any_tensor load(const std::filesystem::path& filename, dims shape, load_options options) {
  return load_any(filename, shape, extent::from_the_file, options);
}

any_tensor load(const std::filesystem::path& filename, whole_file_t, load_options options) {
  return load_any(filename, {open}, extent::from_the_file, options);
}

}  // namespace tensorplay::inline functional
