#pragma once
// For typed tests; include behind the import of tensorplay.tensor.

#define REAL_ELEMENTS                                                                                               \
  std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t, \
      tensorplay::float16_t, tensorplay::bfloat16_t, float, double
#define NUMERIC_ELEMENTS REAL_ELEMENTS, std::complex<float>, std::complex<double>
#define ALL_ELEMENTS tensorplay::bool8_t, NUMERIC_ELEMENTS
