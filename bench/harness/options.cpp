// SPDX-License-Identifier: BSD-3-Clause
// Parses the shared command line.
#include "options.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>

namespace bench {
namespace {

/// An option of the command line; those with a word for their value take `--name VALUE` and `--name=VALUE`.
struct option {
  std::string name, value, text;
  std::function<void(const std::string&)> take;
};

double positive(const std::string& option_name, const std::string& value) {
  std::size_t used = 0;
  double number = 0;
  try {
    number = std::stod(value, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != value.size() || !(number > 0))
    throw std::invalid_argument(option_name + " needs a positive number, not '" + value + "'");
  return number;
}

timing clock_named(const std::string& value) {
  if (value == "loop") return timing::loop;
  if (value == "parts") return timing::parts;
  throw std::invalid_argument("--timing is loop or parts, not '" + value + "'");
}

std::vector<option> all_options(options& to, bool& is_help) {
  return {
      {"--list", "", "list the cases and stop", [&](const auto&) { to.is_list = true; }},
      {"--case", "NAME", "only this case; a shell pattern, may be repeated",
       [&](const auto& v) { to.cases.push_back(v); }},
      {"--method", "NAME", "only this method; a shell pattern, may be repeated",
       [&](const auto& v) { to.methods.push_back(v); }},
      {"--quick", "", "a look in under 20 s: fewer rounds, short tuning", [&](const auto&) { to.is_quick = true; }},
      {"--json", "FILE", "write JSON Lines, one record per case and method", [&](const auto& v) { to.json_file = v; }},
      {"--time", "S", "seconds of measuring per case (default 2)",
       [&](const auto& v) { to.case_s = positive("--time", v); }},
      {"--rounds", "N", "at most this many rounds per case",
       [&](const auto& v) { to.max_rounds = static_cast<int>(std::clamp(positive("--rounds", v), 1.0, 1e6)); }},
      {"--burst-us", "US", "aimed length of one burst (default 300)",
       [&](const auto& v) { to.burst_s = positive("--burst-us", v) * 1e-6; }},
      {"--tune-time", "S", "tuning budget of one plan (default: the library's)",
       [&](const auto& v) { to.tune_s = positive("--tune-time", v); }},
      {"--timing", "HOW", "loop: whole iterations less the floor; parts: a clock around each operation",
       [&](const auto& v) { to.clock = clock_named(v); }},
      {"--label", "TEXT", "say this after the MPI's name (collectives only)", [&](const auto& v) { to.label = v; }},
      {"--reused", "", "send the same data again and again, as OSU's programs do (collectives, threads)",
       [&](const auto&) { to.is_reused = true; }},
      {"--rewritten", "", "write what is sent and read what came in each iteration, less their time (transpositions)",
       [&](const auto&) { to.is_rewritten = true; }},
      {"--gate", "", "exit with 2 when a ratio is below its bar", [&](const auto&) { to.is_gate = true; }},
      {"--help", "", "this text", [&](const auto&) { is_help = true; }},
  };
}

void parse(int argc, char** argv, const std::vector<option>& known) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], name = word.substr(0, word.find('='));
    const auto at = std::find_if(known.begin(), known.end(), [&](const option& o) { return o.name == name; });
    const bool has_value = word.size() > name.size();
    if (at == known.end()) throw std::invalid_argument("there is no option '" + name + "' (see --help)");
    if (at->value.empty() && has_value) throw std::invalid_argument(name + " takes no value");
    if (!at->value.empty() && !has_value && i + 1 == argc)
      throw std::invalid_argument(name + " needs a value: " + name + " " + at->value);
    at->take(at->value.empty() ? "" : has_value ? word.substr(name.size() + 1) : argv[++i]);
  }
}

void print_help(const char* program, const char* description, const std::vector<option>& known) {
  std::printf("%s\n\nusage: %s [options]\n", description, program);
  for (const auto& o : known) std::printf("  %-18s %s\n", (o.name + " " + o.value).c_str(), o.text.c_str());
}

}  // namespace

bool options::matches(const std::vector<std::string>& patterns, const std::string& name) {
  if (patterns.empty()) return true;
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& p) { return fnmatch(p.c_str(), name.c_str(), 0) == 0; });
}

bool read_options(int argc, char** argv, const char* description, bool is_speaker, options& chosen, int& exit_code) {
  options wanted = chosen;
  wanted.case_s = 0;
  bool is_help = false;
  const auto known = all_options(wanted, is_help);
  try {
    parse(argc, argv, known);
  } catch (const std::invalid_argument& e) {
    if (is_speaker) std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    exit_code = 64;
    return false;
  }
  if (is_help && is_speaker) print_help(argv[0], description, known);
  if (is_help) return false;
  if (wanted.case_s == 0) wanted.case_s = wanted.is_quick ? 0.2 : 2;
  if (wanted.is_quick && wanted.tune_s == 0) wanted.tune_s = 0.1;
  chosen = wanted;
  return true;
}

}  // namespace bench
