// Compiles one line that names the library, and the same line of others: what an importer pays each time.
#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "config.hpp"
#include "reporter.hpp"
#include "scratch.hpp"

namespace {

double seconds(const ::timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); }

/// Runs a program in the build folder; the processor's seconds it took, those of its children included. Nothing where it failed.
std::optional<double> run_in_build_root(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  ::posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, bench::build_root);
  ::pid_t child = 0;
  const bool started = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), ::environ) == 0;
  ::posix_spawn_file_actions_destroy(&actions);

  int status = 0;
  ::rusage used{};
  if (!started || ::wait4(child, &status, 0, &used) != child || status != 0) return std::nullopt;
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void register_source(const std::string& name, const std::filesystem::path& source, const std::vector<std::string>& flags) {
  std::vector<std::string> command{std::begin(bench::compile_command), std::end(bench::compile_command)};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {source.string(), "-o", source.string() + ".o"});
  const auto measure = [command](benchmark::State& state) {
    for (auto _ : state) {
      const auto taken = run_in_build_root(command);
      if (!taken) {
        state.SkipWithError("the compiler failed");
        break;
      }
      state.SetIterationTime(*taken);
    }
  };
  bench::add_case(name, measure)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
}

constexpr const char* boost_headers =
    "#include <boost/interprocess/file_mapping.hpp>\n"
    "#include <boost/interprocess/mapped_region.hpp>\n";

/// A program's unit: standard headers, what else it uses of libraries, and a function that adds up a file.
std::string summing_unit(const std::string& libraries, const std::string& sum) {
  const std::string headers =
      "#include <filesystem>\n#include <numeric>\n#include <span>\n#include <string>\n#include <vector>\n";
  return headers + libraries + "float sum_of(const std::filesystem::path& file) {\n" + sum + "}\n";
}

}  // namespace

int main(int argc, char** argv) {
  ::setenv("CCACHE_DISABLE", "1", 1);
  const bench::scratch_folder scratch;
  const std::vector<std::string> importing{std::begin(bench::import_args), std::end(bench::import_args)};
  const auto one_line = scratch.text_file("import.cpp", "import tensorplay.functional;\n");
  register_source("import/tensorplay", one_line, importing);
  register_source("import/tensorplay_again", one_line, importing);
  register_source("import/empty", scratch.text_file("empty.cpp", ""), {});
  const auto summing = summing_unit("import tensorplay.functional;\nnamespace tp = tensorplay;\n",
                                    "  return tp::sum(tp::from_file<const float>(file, false, tp::whole_file));\n");
  register_source("program/tensorplay", scratch.text_file("summing.cpp", summing), importing);
  register_source("program/standard", scratch.text_file("headers.cpp", summing_unit("", "  return file.empty();\n")), {});
  std::vector<bench::comparison> compared{{"import/tensorplay", "import/tensorplay_again"},
                                          {"import/tensorplay", "import/empty", 3},
                                          {"program/tensorplay", "program/standard"}};
  if constexpr (bench::with_boost_headers) {
    register_source("import/boost", scratch.text_file("boost.cpp", boost_headers), {});
    const auto summing_by_boost =
        summing_unit(std::string{boost_headers} + "namespace bi = boost::interprocess;\n",
                     "  const bi::file_mapping opened{file.c_str(), bi::read_only};\n"
                     "  const bi::mapped_region region{opened, bi::read_only};\n"
                     "  const auto* first = static_cast<const float*>(region.get_address());\n"
                     "  return std::accumulate(first, first + region.get_size() / sizeof(float), 0.0F);\n");
    register_source("program/boost", scratch.text_file("summing_by_boost.cpp", summing_by_boost), {});
    compared.push_back({"import/tensorplay", "import/boost", 0.3});
    compared.push_back({"program/tensorplay", "program/boost"});
  }
  if constexpr (bench::with_torch) {
    register_source("import/torch", scratch.text_file("torch.cpp", "#include <ATen/ATen.h>\n"), {"-std=c++17"});
    compared.push_back({"import/tensorplay", "import/torch", 0.03});
  }
  return bench::run(argc, argv, compared, 30);
}
