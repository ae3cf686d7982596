#pragma once

#include <benchmark/benchmark.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Two cases whose times are divided by each other, by the names they are registered under.
struct comparison {
  std::string ours;
  std::string other;
  std::optional<double> at_most = {};  ///< the target. Nothing: printed for the reader alone
  std::string limit = {};  ///< a case that does only what the machine asks for: the verdict says where it misses as well
};

/// Registers a case with Google Benchmark and notes when each of its rounds ends.
///
/// name        "group/case".
benchmark::internal::Benchmark* add_case(const std::string& name, std::function<void(benchmark::State&)> measure);

/// Registers a case that makes a file which is not there; to remove it does not count.
///
/// write     makes the file.
/// is_right  whether the file holds what it should; the case fails where it does not.
void add_new_file_case(const std::string& name, const std::filesystem::path& path, std::function<void()> write,
                       std::function<bool()> is_right);

/// What the threads of a case run on: caches and clocks differ.
enum class processors { one, all };

/// Runs the registered cases with Google Benchmark; then prints facts of the machine and the ratios.
///
/// argc, argv  Google Benchmark's flags. Other than its own, the defaults are random interleaving and repetitions of 5 ms: many
///             short ones, so that each has one of every other case near it.
/// compared    A comparison with a case that --benchmark_filter leaves out is not printed. The time is that of the processor
///             unless the case measures real time or its own.
/// rounds      The default of --benchmark_repetitions.
/// on          The processors that a case may use.
///
/// Returns     the exit status: 1 where a flag is unknown, no case ran or one reported an error. No time is judged.
int run(int argc, char** argv, const std::vector<comparison>& compared, int rounds = 300, processors on = processors::one);

}  // namespace bench
