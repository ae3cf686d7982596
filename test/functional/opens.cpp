// opens FILE BYTES: maps a file privately between two calls of getppid, for a tracer to look at what lies between.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

import tensorplay.functional;

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const auto nbytes = std::strtoll(arguments[2], nullptr, 10);
  {
    ::getppid();
    const auto t = tensorplay::from_file<std::uint8_t>(arguments[1], false, nbytes);
    if (t.numel() != nbytes) return 1;
  }
  ::getppid();
}
