#include <ATen/ATen.h>

#include "mapper.hpp"

namespace bench {

float map_with_torch(const std::filesystem::path& filename, bool shared, std::int64_t count, touch read) {
  const auto tensor = at::from_file(filename.native(), shared, count, at::kFloat);
  return read == touch::last_element ? tensor.data_ptr<float>()[count - 1] : 0;
}

}  // namespace bench
