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

/// How far ahead of what it reads a kernel that converts asks for memory: it keeps a core too busy to get there by itself.
inline constexpr std::int64_t prefetch_bytes{2048};

/// Asks for memory that a kernel reaches soon.
///
/// bytes     how far ahead, in mapped memory: to ask for a page that is not there costs a walk of the page tables each time.
[[gnu::always_inline]] inline void prefetch_ahead(const void* reached, std::int64_t bytes) noexcept {
  __builtin_prefetch(static_cast<const std::byte*>(reached) + bytes);
}

/// Sums of add_widened() for each stream.
inline constexpr std::int64_t widened_step{16};

/// Adds float16 numbers of streams to sums, lane by lane; each conversion is exact.
///
/// apart     elements from one stream's first to the next one's.
/// count     elements of each stream; a multiple of widened_step.
/// ahead     bytes to prefetch_ahead().
/// sums      streams * widened_step of them.
void add_widened(const float16_t* first, std::int64_t apart, std::int64_t count, std::int64_t ahead, float* sums) noexcept;

/// Copies to memory that is not read soon: past the caches where the processor can, so that it does not read first what is replaced.
/// Other threads may read it after end_streams().
///
/// to        a multiple of 16 bytes.
void stream(std::byte* to, const std::byte* from, std::int64_t nbytes) noexcept;

/// Orders what was streamed before all later stores. It waits for memory: once for many pieces.
void end_streams() noexcept;

}  // namespace tensorplay::inline functional
