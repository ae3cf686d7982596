// A file that another process truncates while it is added up: an error with the numbers that matter, and no signal.
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>

import tensorplay.functional;
namespace tp = tensorplay;

int main() {
  tp::ones<float>(1'000'000).tofile("measurements.bin");
  const auto measurements = tp::from_file<const float>("measurements.bin", false, tp::whole_file);

  tp::fault_guard guard{measurements};
  std::cout << "whole: " << tp::sum(measurements) << '\n';
  guard.check();

  std::filesystem::resize_file("measurements.bin", 400'000);  // what somebody else might do
  std::cout << "truncated: " << tp::sum(measurements) << '\n';
  try {
    guard.commit();
  } catch (const tp::storage_error& error) {
    std::cout << error.what() << '\n';
    return error.code() == tp::storage_errc::truncated && error.found_bytes() == std::int64_t{400'000} ? 0 : 1;
  }
  return 1;
}
