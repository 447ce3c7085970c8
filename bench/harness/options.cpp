// SPDX-License-Identifier: BSD-3-Clause
// Parses the shared command line.
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>

#include "options.hpp"

namespace bench {

bool options::matches(const std::vector<std::string>& patterns, const std::string& name) {
  if (patterns.empty()) return true;
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& p) { return fnmatch(p.c_str(), name.c_str(), 0) == 0; });
}

bool read_options(int argc, char** argv, const char* description, bool is_speaker, options& chosen, int& exit_code) {
  CLI::App app(description);
  app.add_flag("--list", chosen.is_list, "list the cases and stop");
  app.add_option("--case", chosen.cases, "only cases that match this shell pattern (repeatable)");
  app.add_option("--method", chosen.methods, "only methods that match this shell pattern (repeatable)");
  app.add_flag("--quick", chosen.is_quick, "a look in under 20 s: fewer rounds, short tuning");
  app.add_option("--json", chosen.json_file, "write JSON Lines, one record per case and method");
  auto* time = app.add_option("--time", chosen.case_s, "seconds of measuring per case (default 2)")
                   ->check(CLI::PositiveNumber);
  app.add_option("--rounds", chosen.max_rounds, "at most this many rounds per case")->check(CLI::PositiveNumber);
  double burst_us = chosen.burst_s * 1e6;
  app.add_option("--burst-us", burst_us, "aimed length of a burst in microseconds (default 300)")
      ->check(CLI::PositiveNumber);
  auto* tune = app.add_option("--tune-time", chosen.tune_s, "tuning budget of a plan in seconds (default: the library's)")
                   ->check(CLI::PositiveNumber);
  const std::map<std::string, timing> clocks{{"loop", timing::loop}, {"parts", timing::parts}};
  app.add_option("--timing", chosen.clock, "loop: whole iterations less the floor; parts: a clock around each exchange")
      ->transform(CLI::CheckedTransformer(clocks));
  app.add_flag("--gate", chosen.is_gate, "exit with 2 when a ratio is below its bar");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out;
    exit_code = app.exit(e, out, out);
    if (is_speaker) (exit_code == 0 ? std::cout : std::cerr) << out.str();
    return false;
  }
  chosen.burst_s = burst_us * 1e-6;
  if (chosen.is_quick && time->count() == 0) chosen.case_s = 0.25;
  if (chosen.is_quick && tune->count() == 0) chosen.tune_s = 0.1;
  return true;
}

}  // namespace bench
