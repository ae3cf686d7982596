// Two processes add to one mapped tensor at the same time and lose no count.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <iostream>

import tensorplay.functional;
namespace tp = tensorplay;

namespace {

constexpr const char* filename = "counters.bin";
constexpr std::int64_t counters = 4;
constexpr std::int64_t rounds = 250'000;

/// Maps the file on its own account, as any process that knows the name could.
void count() {
  const auto shared = tp::from_file<std::int64_t>(filename, true, counters);
  for (std::int64_t round = 0; round < rounds; ++round) std::atomic_ref{shared[round % counters]}.fetch_add(1);
}

}  // namespace

int main() {
  ::unlink(filename);
  const auto child = ::fork();
  count();
  if (child == 0) ::_exit(0);
  int status = 0;
  ::waitpid(child, &status, 0);

  std::int64_t total = 0;
  for (const auto value : tp::from_file<const std::int64_t>(filename, false, tp::whole_file)) total += value;
  std::cout << "counted " << total << " of " << 2 * rounds << '\n';
  return status == 0 && total == 2 * rounds ? 0 : 1;
}
