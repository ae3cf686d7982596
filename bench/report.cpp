// report GNUPLOT README PAGE PROGRAM...: runs the benchmark programs, writes a page of their ratios with a chart of each, and the
// table of the README.
#include <algorithm>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// The median time of a case, named "group/case" or, where it belongs to a series, "group/series/value".
struct measured_case {
  std::string name;
  double nanoseconds;
};

void require(bool done, const std::string& what) {
  if (!done) throw std::runtime_error{what};
}

/// A benchmark's output, which Google Benchmark also wrote as JSON.
struct run {
  std::vector<std::string> facts;  ///< "name: value"
  std::vector<std::string> table;  ///< lines of Markdown
  std::vector<measured_case> cases;
};

std::vector<measured_case> cases_of(const fs::path& json) {
  boost::property_tree::ptree root;
  boost::property_tree::read_json(json.string(), root);
  const std::map<std::string, double> units{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const std::string real_time = "/real_time";
  std::vector<measured_case> cases;
  for (const auto& [key, entry] : root.get_child("benchmarks")) {
    if (entry.get<std::string>("aggregate_name", "") != "median") continue;
    auto name = entry.get<std::string>("run_name");
    const bool is_real = name.ends_with(real_time);
    if (is_real) name.resize(name.size() - real_time.size());
    const auto time = entry.get<double>(is_real ? "real_time" : "cpu_time");
    cases.push_back({name, time * units.at(entry.get<std::string>("time_unit"))});
  }
  return cases;
}

run run_program(const fs::path& program, const fs::path& folder) {
  const auto json = folder / (program.filename().string() + ".json");
  const auto command = "\"" + program.string() + "\" --benchmark_out_format=json \"--benchmark_out=" + json.string() + "\"";
  auto* const output = ::popen(command.c_str(), "r");
  require(output != nullptr, "cannot run " + command);
  std::string text;
  char part[4096];
  for (std::size_t count; (count = std::fread(part, 1, sizeof part, output)) > 0;) text.append(part, count);
  require(::pclose(output) == 0, program.string() + " failed:\n" + text);

  run found{{}, {}, cases_of(json)};
  std::istringstream lines{text};
  // Facts and ratios stand below what Google Benchmark prints, and nothing of that begins so.
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("kernel: ") || !found.facts.empty()) {
      auto& to = line.starts_with('|') ? found.table : found.facts;
      if (!line.empty()) to.push_back(line);
    }
  }
  return found;
}

/// The part of a name before or behind its first slash.
std::string group_of(const std::string& name) { return name.substr(0, name.find('/')); }
std::string case_of(const std::string& name) { return name.substr(name.find('/') + 1); }

bool is_series(const std::string& name) {
  const auto value = name.substr(name.rfind('/') + 1);
  return !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
}

/// Bars are told apart by whose they are.
int colour_of(const std::string& name) {
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (has("torch")) return 0xd9822b;
  if (has("by_hand") || has("pointer") || has("limit")) return 0x555555;
  if (has("boost") || has("read") || has("stream") || has("standard")) return 0xa7b6c2;
  return 0x2b7a4b;
}

void draw(const std::string& gnuplot, const std::string& script) {
  auto* const input = ::popen(("\"" + gnuplot + "\"").c_str(), "w");
  require(input != nullptr && std::fwrite(script.data(), 1, script.size(), input) == script.size(), "cannot run " + gnuplot);
  require(::pclose(input) == 0, gnuplot + " failed");
}

std::string to_file(const fs::path& svg, std::size_t width) {
  return "set terminal svg noenhanced size " + std::to_string(width) + ",420 font 'sans,11' background 'white'\nset output '" +
         svg.string() + "'\nset logscale y\nset grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror\nunset key\n";
}

/// One bar for each case.
void draw_bars(const std::string& gnuplot, const fs::path& svg, const std::vector<measured_case>& cases) {
  std::ostringstream script;
  script << to_file(svg, 240 + 26 * cases.size())
         << "set ylabel 'microseconds'\nset style fill solid\nset boxwidth 0.8\nset xtics rotate by -60\n$cases "
            "<< E\n";
  for (const auto& [name, nanoseconds] : cases) script << name << ' ' << nanoseconds / 1e3 << ' ' << colour_of(name) << '\n';
  script << "E\nplot $cases using 0:2:3:xtic(1) with boxes lc rgb variable\n";
  draw(gnuplot, script.str());
}

/// One line for each series of a group.
void draw_lines(const std::string& gnuplot, const fs::path& svg, const std::string& group,
                const std::map<std::string, std::vector<std::pair<double, double>>>& series) {
  std::ostringstream script;
  script << to_file(svg, 640) << "set logscale x\nset format x '%.0s %c'\nset ylabel 'microseconds'\nset xlabel '" << group
         << "'\nset key left top\n";
  std::string plot;
  for (const auto& [name, points] : series) {
    script << '$' << name << " << E\n";
    for (const auto& [value, nanoseconds] : points) script << value << ' ' << nanoseconds / 1e3 << '\n';
    script << "E\n";
    plot += (plot.empty() ? "plot $" : ", $") + name + " title '" + name + "' with linespoints pt 7 lc rgb " +
            std::to_string(colour_of(name));
  }
  draw(gnuplot, script.str() + plot + '\n');
}

/// Draws the charts of a program, and gives the Markdown that shows them.
std::string charts(const std::string& gnuplot, const fs::path& folder, const std::string& program,
                   const std::vector<measured_case>& cases) {
  std::vector<measured_case> bars;
  std::map<std::string, std::map<std::string, std::vector<std::pair<double, double>>>> lines;
  for (const auto& found : cases) {
    if (!is_series(found.name)) {
      bars.push_back(found);
      continue;
    }
    const auto slash = found.name.rfind('/');
    lines[group_of(found.name)][case_of(found.name.substr(0, slash))].emplace_back(std::stod(found.name.substr(slash + 1)),
                                                                                   found.nanoseconds);
  }
  std::string shown;
  const auto show = [&](const std::string& name) {
    shown += "![" + name + "](" + folder.filename().string() + '/' + name + ".svg)\n\n";
    return folder / (name + ".svg");
  };
  if (!bars.empty()) draw_bars(gnuplot, show(program), bars);
  for (const auto& [group, series] : lines) draw_lines(gnuplot, show(program + '_' + group), group, series);
  return shown;
}

/// A line of the table that the README shows.
struct headline {
  std::string workload;
  std::string program;
  std::string name;  ///< of our case
};

const std::vector<headline> headlines{
    {"map and unmap a file of 4 KiB", "open_close", "private/tensorplay"},
    {"map, sum 256 MiB of float32 in the cache, unmap", "scan_warm", "large_folios/tensorplay"},
    {"`x += 1` on a private mapping of 128 MiB", "update_private", "large_folios/update"},
    {"2000 rows of 4 KiB from a file outside the cache", "gather", "cold/tensorplay"},
    {"save 128 MiB to a new file", "tofile", "tofile/tensorplay"},
    {"compile a unit that imports tensorplay (the others: their headers)", "import", "import/tensorplay"},
};

const std::string headlines_begin = "<!-- bench-report writes from here -->\n";
const std::string headlines_end = "<!-- to here -->\n";

/// What a compared case is called where people read it; empty for our own.
std::string peer_of(const std::string& name) {
  const std::vector<std::pair<std::string, std::string>> peers{
      {"by_hand", "by hand"},   {"torch", "libtorch"}, {"boost", "Boost"},        {"ofstream", "ofstream"},
      {"ifstream", "ifstream"}, {"read", "read(2)"},   {"empty", "an empty unit"}};
  const auto found = std::ranges::find_if(peers, [&](const auto& peer) { return name.ends_with(peer.first); });
  return found == peers.end() ? std::string{} : found->second;
}

/// The cells of a line of Markdown, without the spaces around them.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream parts{line.substr(1)};
  for (std::string cell; std::getline(parts, cell, '|');) {
    const auto begin = std::min(cell.find_first_not_of(' '), cell.size());
    cells.push_back(cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin));
  }
  return cells;
}

/// The line of a program's table that shows our case against each peer.
std::string line_of(const headline& shown, const std::vector<std::string>& table) {
  std::string ratios;
  for (const auto& line : table) {
    const auto cells = cells_of(line);
    if (cells.size() < 3 || cells[0] != shown.name || peer_of(cells[1]).empty()) continue;
    ratios += (ratios.empty() ? "" : ", ") + cells[2] + " of " + peer_of(cells[1]);
  }
  return "| " + shown.workload + " | " + ratios + " |\n";
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return std::move(text).str();
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream out{file};
  out.exceptions(std::ios::badbit | std::ios::failbit);
  out << text << std::flush;
}

/// Replaces what stands between the two marks.
void write_headlines(const fs::path& readme, const std::string& lines) {
  auto text = text_of(readme);
  const auto begin = text.find(headlines_begin);
  const auto end = text.find(headlines_end);
  require(begin != std::string::npos && end != std::string::npos && begin < end, readme.string() + " has no place for the table");
  const auto first = begin + headlines_begin.size();
  text.replace(first, end - first, lines);
  write_text(readme, text);
}

void write_report(const std::string& gnuplot, const fs::path& readme, const fs::path& page,
                  const std::vector<fs::path>& programs) {
  const auto folder = fs::path{page}.replace_extension();
  fs::create_directories(folder);
  std::ostringstream body;
  std::vector<std::string> facts;
  std::map<std::string, std::vector<std::string>> tables;
  for (const auto& program : programs) {
    const auto name = program.filename().string();
    std::cout << name << std::endl;
    const auto found = run_program(program, fs::current_path());
    facts = found.facts;
    tables[name] = found.table;
    body << "\n## " << name << "\n\n" << charts(gnuplot, folder, name, found.cases);
    for (const auto& line : found.table) body << line << '\n';
  }
  std::string all_facts;
  for (const auto& fact : facts) all_facts += "- " + fact + '\n';
  write_text(
      page,
      "# Benchmarks\n\nWritten by `meson compile -C build bench-report`. Each ratio is the median of paired rounds, with the "
      "interval that holds it\nwith 95 %; below 1 the first is faster. An `_again` row compares a case with itself: what it "
      "shows is noise. Where a target\nis missed, the limit or the code by hand over the same peer shows what this machine "
      "allows: `MISSED, as by` names it with\nits ratio where it misses as well. Bars are medians, green ours, grey by\n"
      "hand or the machine's limit, orange libtorch, light the standard library's and Boost's ways.\n\n" +
          all_facts + body.str());
  std::string lines = "\n| workload | time of ours |\n|---|---|\n";
  for (const auto& shown : headlines) lines += line_of(shown, tables[shown.program]);
  write_headlines(readme, lines + '\n');
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "usage: report GNUPLOT README PAGE PROGRAM...\n";
    return 2;
  }
  try {
    write_report(argv[1], argv[2], argv[3], {argv + 4, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "report: " << error.what() << '\n';
    return 1;
  }
}
