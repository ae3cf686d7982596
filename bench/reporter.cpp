#include "reporter.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iomanip>
#include <map>
#include <ostream>
#include <string_view>
#include <utility>

#include "facts.hpp"
#include "ratio.hpp"
#include "scratch.hpp"

namespace bench {
namespace {

using benchmark::BenchmarkReporter;
using ends = std::vector<std::chrono::steady_clock::time_point>;

/// When the calls of each case ended. Google Benchmark calls one more than once in its first repetition, to find the iterations.
std::map<std::string, ends>& ends_of_calls() {
  static std::map<std::string, ends> calls;
  return calls;
}

/// Google Benchmark renamed the member in 1.8.
template <class Run>
bool failed(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred;
  } else {
    return run.skipped != decltype(run.skipped){};
  }
}

double seconds(const BenchmarkReporter::Run& run) {
  const auto total = run.run_name.time_type.empty() ? run.cpu_accumulated_time : run.real_accumulated_time;
  return total / static_cast<double>(run.iterations);
}

/// Hands all runs to the reporter that --benchmark_format asks for, and keeps their times.
class recorder final : public BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override { return shown_.ReportContext(context); }

  /// Google Benchmark hands over all repetitions of a case together, then their aggregates.
  void ReportRuns(const std::vector<Run>& runs) override {
    any_failed_ = any_failed_ || std::ranges::any_of(runs, failed<Run>);
    const bool are_rounds = runs.front().run_type == Run::RT_Iteration;
    if (are_rounds && !any_failed_) record(runs);
    // a line for each of many rounds would hide the aggregates
    if (!are_rounds || runs.size() == 1 || any_failed_ || !is_console()) shown_.ReportRuns(runs);
  }

  void Finalize() override { shown_.Finalize(); }

  bool empty() const noexcept { return rounds_.empty(); }
  bool any_failed() const noexcept { return any_failed_; }

  /// Where text does not disturb a format that programs read.
  std::ostream& text() const { return is_console() ? GetOutputStream() : GetErrorStream(); }

  /// None for a case that did not run.
  std::vector<round> rounds_of(const std::string& name) const {
    const auto found = rounds_.find(name);
    return found == rounds_.end() ? std::vector<round>{} : found->second;
  }

 private:
  bool is_console() const { return dynamic_cast<const benchmark::ConsoleReporter*>(&shown_) != nullptr; }

  void record(const std::vector<Run>& runs) {
    const auto& name = runs.front().run_name.function_name;
    auto end = ends_of_calls()[name].end() - static_cast<std::ptrdiff_t>(runs.size());
    for (const auto& run : runs) rounds_[name].push_back({seconds(run), *end++});
  }

  BenchmarkReporter& shown_ = *benchmark::CreateDefaultDisplayReporter();
  std::map<std::string, std::vector<round>> rounds_;
  bool any_failed_ = false;
};

bool is_missed(const ratio& found, double at_most) {
  return found.median > at_most && found.interval && found.interval->first > at_most;
}

/// What a target and its limit say of a ratio to a case.
void print_verdict(std::ostream& out, const recorder& recorded, const comparison& of, const ratio& found, std::size_t rounds) {
  out << *of.at_most << ' ';
  if (rounds < least_rounds || !found.interval) {
    out << "not judged, rounds: " << rounds;
  } else if (found.median <= *of.at_most) {
    out << "met";
  } else if (!is_missed(found, *of.at_most)) {
    out << "not missed: the interval reaches it";
  } else {
    out << "MISSED";
    const auto limit_rounds = recorded.rounds_of(of.limit);
    if (limit_rounds.empty()) return;
    const auto limit = ratio_of(limit_rounds, recorded.rounds_of(of.other));
    if (is_missed(limit, *of.at_most)) out << ", as by " << of.limit << ": " << limit.median;
  }
}

/// A table that reads well as text and as Markdown.
void print(std::ostream& out, const recorder& recorded, const std::vector<comparison>& compared) {
  if (compared.empty()) return;
  std::size_t width = std::string_view{"over time of"}.size();
  for (const auto& of : compared) width = std::max({width, of.ours.size(), of.other.size()});
  const auto column = static_cast<int>(width);

  out << std::left << std::setprecision(3) << std::fixed << "\n| " << std::setw(column) << "time of" << " | " << std::setw(column)
      << "over time of" << " | median | 95 % interval  | target\n|" << std::string(width + 2, '-') << '|'
      << std::string(width + 2, '-') << "|--------|----------------|-------\n";
  for (const auto& of : compared) {
    const auto our_rounds = recorded.rounds_of(of.ours);
    const auto other_rounds = recorded.rounds_of(of.other);
    if (our_rounds.empty() || other_rounds.empty()) continue;
    const auto found = ratio_of(our_rounds, other_rounds);
    out << "| " << std::setw(column) << of.ours << " | " << std::setw(column) << of.other << " | " << std::setw(6) << found.median
        << " | ";
    if (found.interval) {
      out << found.interval->first << " to " << found.interval->second;
    } else {
      out << std::setw(14) << '-';
    }
    out << " | ";
    if (of.at_most) print_verdict(out, recorded, of, found, our_rounds.size());
    out << '\n';
  }
}

/// Keeps a run from moving between processors, whose caches and clocks differ.
void stay_on_this_processor() {
  ::cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &here);
  ::sched_setaffinity(0, sizeof here, &here);
}

/// Google Benchmark's flags with defaults of ours; of two equal flags the later one counts.
bool initialize(int argc, char** argv, int rounds) {
  std::string defaults[] = {"--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.005",
                            "--benchmark_repetitions=" + std::to_string(rounds)};
  std::vector<char*> flags{argv[0]};
  for (auto& flag : defaults) flags.push_back(flag.data());
  for (int at = 1; at < argc; ++at) flags.push_back(argv[at]);
  auto count = static_cast<int>(flags.size());
  benchmark::Initialize(&count, flags.data());
  return !benchmark::ReportUnrecognizedArguments(count, flags.data());
}

}  // namespace

benchmark::internal::Benchmark* add_case(const std::string& name, std::function<void(benchmark::State&)> measure) {
  return benchmark::RegisterBenchmark(name.c_str(), [measure = std::move(measure), &calls = ends_of_calls()[name]](auto& state) {
    measure(state);
    calls.push_back(std::chrono::steady_clock::now());
  });
}

void add_new_file_case(const std::string& name, const std::filesystem::path& path, std::function<void()> write,
                       std::function<bool()> is_right) {
  add_case(name, [=](benchmark::State& state) {
    write();
    if (!is_right()) return state.SkipWithError("the new file holds other elements");
    for (auto _ : state) {
      state.PauseTiming();
      std::filesystem::remove(path);
      state.ResumeTiming();
      write();
    }
    std::filesystem::remove(path);
  });
}

int run(int argc, char** argv, const std::vector<comparison>& compared, int rounds, processors on) {
  if (!initialize(argc, argv, rounds)) return 1;
  const auto facts = machine_facts(work_folder());
  for (const auto& [name, value] : facts) benchmark::AddCustomContext(name, value);
  if (on == processors::one) stay_on_this_processor();
  recorder recorded;
  const auto matching = benchmark::RunSpecifiedBenchmarks(&recorded);
  benchmark::Shutdown();

  if (!recorded.empty()) {
    auto& out = recorded.text();
    out << '\n';
    for (const auto& [name, value] : facts) out << name << ": " << value << '\n';
    print(out, recorded, compared);
  }
  return matching == 0 || recorded.any_failed() ? 1 : 0;
}

}  // namespace bench
