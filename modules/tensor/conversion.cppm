module;
#if !defined(__clang__)
#include <cstddef>
#include <cstdint>
#endif

export module tensorplay.tensor:conversion;

import tensorplay.standard;
import :any;
import :any_view;
import :dtype;

export namespace tensorplay {

/// Converts count native elements that follow each other; the two places do not overlap.
using converter = void (*)(const std::byte* from, std::byte* to, std::int64_t count);

/// The conversion of tensor::to.
///
/// Errors    std::invalid_argument: complex numbers for a real type.
converter converter_of(dtype from, dtype to);

/// Checks that elements may be written one by one.
///
/// operation  for the message.
/// Errors     std::invalid_argument: they are read-only, or expanded, so that one place holds several.
void require_stores(const char* operation, const any_view& elements);

/// The elements of source, repeated to the shape of destination; of a copy where the two overlap, so that none is written before
/// it is read.
///
/// Errors    std::invalid_argument: the shapes do not fit.
any_tensor matched_source(const any_view& source, const any_view& destination);

}  // namespace tensorplay
