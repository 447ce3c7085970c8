// SPDX-License-Identifier: BSD-3-Clause
// The program: options, run, report. Exit status 0, 1 (not verified) or 2 (an error).
#include <app/options.hpp>
#include <app/report.hpp>
#include <base/agreement.hpp>
#include <cstdio>
#include <exception>
#include <nearfar/team.hpp>
#include <settings/settings.hpp>

namespace {

using namespace adaptive_heat;

void print_mesh(int step, const heat_solver& solver, const nearfar::team& team) {
  if (team.is_root()) std::printf(" Step %5d: elements %9ld\n", step, static_cast<long>(solver.mesh().all_leaves));
}

int run(const nearfar::team& team, const app_options& options) {
  simulation job(team, options.what, options.form, options.source);
  run_observer observer;
  if (options.is_verbose)
    observer.adapted = [&](int step, const heat_solver& solver) { print_mesh(step, solver, team); };
  const run_result result = job.run(observer);
  if (team.is_root()) std::fputs(report(options.what, team.size(), result).c_str(), stdout);
  return result.has_reference && !result.is_verified ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  nearfar::runtime mpi(argc, argv);
  const nearfar::team team = mpi.world();
  try {
    const auto read_settings = [&](const std::string& file) { return problem_in(shared_text(team, file), file); };
    const app_options options = parse_options({argv + 1, argv + argc}, read_settings);
    if (!options.wants_help) return run(team, options);
    if (team.is_root()) std::fputs(help_text().c_str(), stdout);
    return 0;
  } catch (const std::exception& e) {
    if (team.is_root()) std::fprintf(stderr, "nearfar-adaptive-heat: %s\n", e.what());
    return 2;
  }
}
