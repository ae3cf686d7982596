module;
#if !defined(__clang__)
#include <cstdint>
#endif

export module tensorplay.storage:heap;

import tensorplay.standard;
import :handle;

export namespace tensorplay {

/// Memory that no file backs, aligned to 64 bytes, its content undefined.
///
/// nbytes    zero gives an empty storage.
/// Errors    std::invalid_argument: nbytes is negative. std::bad_alloc.
storage allocate(std::int64_t nbytes);

/// The same, every byte zero.
storage allocate_zeroed(std::int64_t nbytes);

}  // namespace tensorplay
