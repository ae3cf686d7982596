#pragma once
// A shared library that stands between the program and the C library: it counts the system calls that a thread makes through it, and
// lets one of them fail.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace shim {

/// Counts the calls of this thread from now on.
void count();

/// The same, and the call of that number, from zero, fails with this errno.
void fail(int call, int error);

/// The same, and calls that signals may interrupt fail with EINTR as often, each time before they work once.
void interrupt(int times);

/// The same, and write, sendfile and pread take one byte at a time.
void shorten();

/// Whether all threads see a file system that can neither reserve space nor refuse a rename onto a file.
void lack(bool reservation_and_exclusive_rename);

/// Ends it, and gives the names of the calls in order.
std::vector<std::string> stop();

/// Where the last msync of this thread began, and its bytes.
std::pair<const char*, std::size_t> last_range();

}  // namespace shim
