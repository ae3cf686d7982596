#include "facts.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include <fstream>

#include "config.hpp"

namespace bench {
namespace {

std::string or_unknown(std::string value) { return value.empty() ? "unknown" : value; }

std::string kernel() {
  ::utsname name{};
  if (::uname(&name) != 0) return {};
  return std::string{name.sysname} + ' ' + name.release;
}

std::string cpu() {
  const std::string key = "model name";
  std::ifstream lines{"/proc/cpuinfo"};
  for (std::string line; std::getline(lines, line);) {
    const auto value = line.find(": ");
    if (line.starts_with(key) && value != line.npos) return line.substr(value + 2);
  }
  return {};
}

/// "major:minor", as the kernel's tables name it.
std::string device_of(const std::filesystem::path& folder) {
  struct ::stat status{};
  if (::stat(folder.c_str(), &status) != 0) return {};
  return std::to_string(major(status.st_dev)) + ':' + std::to_string(minor(status.st_dev));
}

std::string file_system(const std::string& device) {
  std::ifstream lines{"/proc/self/mountinfo"};
  for (std::string line; std::getline(lines, line);) {
    const auto type = line.find(" - ");
    if (line.find(' ' + device + ' ') < type && type != line.npos)
      return line.substr(type + 3, line.find(' ', type + 3) - type - 3);
  }
  return {};
}

std::string read_ahead_kb(const std::string& device) {
  std::string value;
  std::ifstream{"/sys/class/bdi/" + device + "/read_ahead_kb"} >> value;
  // a partition has its disk's
  if (value.empty()) std::ifstream{"/sys/dev/block/" + device + "/../queue/read_ahead_kb"} >> value;
  return value;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machine_facts(const std::filesystem::path& folder) {
  const auto device = device_of(folder);
  return {
      {"kernel", or_unknown(kernel())},
      {"file system", or_unknown(file_system(device))},
      {"read_ahead_kb", or_unknown(read_ahead_kb(device))},
      {"compiler", compiler},
      {"cpu", or_unknown(cpu())},
  };
}

}  // namespace bench
