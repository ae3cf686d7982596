module;
#if !defined(__clang__)
#include <cstddef>
#include <cstdint>
#endif

module tensorplay.functional:vectors;

import tensorplay.standard;
import tensorplay.tensor;

namespace tensorplay::inline functional {

/// Places at which kernels read many elements in turn, and the bytes from one to the next: a core gets half as much again from memory
/// in several streams as in one.
inline constexpr std::int64_t streams{4};
inline constexpr std::int64_t stream_bytes{std::int64_t{64} << 10};

/// What memory is read in; one request for each is enough.
inline constexpr std::int64_t cache_line_bytes{64};

/// Asks for memory that a kernel reaches soon, which may end before it. For kernels that convert: they keep a core too busy to get
/// there by itself.
[[gnu::always_inline]] inline void prefetch_ahead(const void* reached) noexcept {
  constexpr std::uintptr_t bytes{2048};
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(reached) + bytes));
}

/// Sums of add_widened() for each stream.
inline constexpr std::int64_t widened_step{16};

/// Adds float16 numbers of streams to sums, lane by lane; each conversion is exact.
///
/// apart     elements from one stream's first to the next one's.
/// count     elements of each stream; a multiple of widened_step.
/// sums      streams * widened_step of them.
void add_widened(const float16_t* first, std::int64_t apart, std::int64_t count, float* sums) noexcept;

/// Copies to memory that is not read soon: past the caches where the processor can, so that it does not read first what is replaced.
/// Other threads may read it after end_streams().
///
/// to        a multiple of 16 bytes.
void stream(std::byte* to, const std::byte* from, std::int64_t nbytes) noexcept;

/// Orders what was streamed before all later stores. It waits for memory: once for many pieces.
void end_streams() noexcept;

}  // namespace tensorplay::inline functional
