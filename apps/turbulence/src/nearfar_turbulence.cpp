// SPDX-License-Identifier: BSD-3-Clause
// The program: settings, one run, files. Exit status 0, 2 (an error) or 3 (a peer does not answer).
#include <app/options.hpp>
#include <app/run.hpp>
#include <common/agreement.hpp>
#include <compare/compare.hpp>
#include <cstdio>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>

#include "version_text.h"

namespace {

using namespace turbulence;

/// What needs no run. Empty: there is a run to make.
std::string words_without_run(const app_options& options, const nearfar::team& team) {
  if (options.wants_help) return help_text();
  if (options.wants_version) return "nearfar-turbulence " NEARFAR_VERSION_TEXT "\n";
  if (options.wants_template) return settings_template();
  if (options.wants_tables) return settings_tables();
  if (options.compared.empty()) return "";
  const std::string reference = options.reference.empty() ? "" : apps::shared_text(team, options.reference);
  return comparison_of(apps::shared_text(team, options.compared), options.compared, reference, options.reference);
}

int run(const nearfar::team& team, std::span<const char* const> arguments) {
  const app_options options = parse_options(arguments);
  if (const std::string words = words_without_run(options, team); !words.empty()) {
    if (team.is_root()) std::fputs(words.c_str(), stdout);
    return 0;
  }
  const std::string text =
      options.settings_file.empty() ? std::string() : apps::shared_text(team, options.settings_file);
  const std::string name = options.settings_file.empty() ? "the settings" : options.settings_file;
  run_flow(team, settings_in(text, name, options.assignments), options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  nearfar::runtime mpi(argc, argv);
  const nearfar::team team = mpi.world();
  try {
    return run(team, {argv + 1, argv + argc});
  } catch (const nearfar::transport_error& e) {
    // A peer is dead or out of reach: others may wait for this rank in calls that cannot return.
    std::fprintf(stderr, "nearfar-turbulence: rank %d: %s\n", team.rank(), e.what());
    nearfar::end_job(3);
  } catch (const std::exception& e) {
    if (team.is_root()) std::fprintf(stderr, "nearfar-turbulence: %s\n", e.what());
    return 2;
  }
}
