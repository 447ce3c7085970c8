// SPDX-License-Identifier: BSD-3-Clause
// The program: options, run, report. Exit status 0, 1 (not verified), 2 (an error) or 3 (a peer does not answer).
#include <nearfar/version.h>
#include <unistd.h>
#include <app/comparison.hpp>
#include <app/json_report.hpp>
#include <app/memory.hpp>
#include <app/notes.hpp>
#include <app/observers.hpp>
#include <app/options.hpp>
#include <app/prediction.hpp>
#include <app/report.hpp>
#include <common/agreement.hpp>
#include <common/program.hpp>
#include <common/progress.hpp>
#include <cstdio>
#include <exception>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <optional>
#include <output/checkpoint.hpp>
#include <settings/settings.hpp>

#include "version_text.h"

namespace {

using namespace adaptive_heat;

constexpr apps::program_texts texts{"nearfar-adaptive-heat " NEARFAR_VERSION_TEXT, help_text, settings_template,
                                    settings_tables};

void print_mesh(int step, const heat_solver& solver, const nearfar::team& team) {
  if (!team.is_root()) return;
  std::printf(" Step %5d: elements %9ld\n", step, static_cast<long>(solver.mesh().all_leaves));
  std::fflush(stdout);
}

void check_end(const app_options& options, const run_state& begin) {
  if (begin.step < options.what.steps) return;
  throw nearfar::usage_error(options.restart + " is the state after step " + std::to_string(begin.step) + " of " +
                             std::to_string(options.what.steps) + ": nothing is left to do; --steps=N goes on");
}

int run(const nearfar::team& team, const app_options& options, const continuation& begin,
        const nearfar::output_writers* writers, const std::string& kept) {
  check_end(options, begin.from);
  if (team.is_root())
    for (const std::string& note : notes_on(options.what)) std::printf(" Note: %s\n", note.c_str());
  if (!options.is_forced) check_memory(team, options);
  run_writer files(team, options, writers, kept);
  simulation job(team, options.what, options.form, options.source, options.threads, options.distribution);
  run_observer observer;
  if (options.is_verbose)
    observer.adapted = [&](int step, const heat_solver& solver) { print_mesh(step, solver, team); };
  apps::run_progress progress(options.what.steps, "Mop/s", stderr, ::isatty(STDERR_FILENO) != 0);
  double start = 0;
  observer.advanced = [&](const run_state& now, const heat_solver& solver) {
    files.advanced(now, solver, begin.from);
    if (now.step == begin.from.step) start = MPI_Wtime();
    if (team.is_root()) progress.advanced(now.step, now.points, MPI_Wtime() - start);
  };
  const run_result result = job.run(observer, begin);
  progress.end();
  files.close();
  if (!options.json.empty()) write_json(team, options, result, job.solver());
  if (team.is_root()) std::fputs(report(options.what, team.size(), result).c_str(), stdout);
  return result.has_reference && !result.is_verified ? 1 : 0;
}

/// Options, and the checkpoint that they name.
int run_told(const nearfar::team& team, std::span<const char* const> arguments) {
  std::optional<checkpoint> saved;
  const problem_readers readers{
      .settings =
          [&](const apps::program_options& o) {
            const auto [text, name] = apps::shared_settings(team, o);
            return problem_in(text, name, o.assignments);
          },
      .checkpoint = [&](const std::string& file) { return saved.emplace(team, file).what(); }};
  const app_options options = parse_options(arguments, readers);
  const std::string words = apps::words_without_run(options, texts);
  apps::say(team, words);
  if (!words.empty()) return 0;
  if (options.predicted_ranks > 0) {
    if (team.is_root()) std::fputs(predict_scaling(options.what, options.predicted_ranks).c_str(), stdout);
    return 0;
  }
  if (options.compares_distributions) {
    constexpr int rounds = 31;
    const auto methods = compare_distributions(team, options.what, options.threads, rounds);
    if (team.is_root()) std::fputs(comparison_table(team, options.what, methods).c_str(), stdout);
    return 0;
  }
  const auto run_on = [&](const nearfar::team& computing, const nearfar::output_writers* writers) {
    continuation begin;
    if (saved) saved.emplace(computing, options.restart);
    if (saved) begin = {saved->state(), [&](heat_solver& solver) { saved->set_values(solver); }};
    return run(computing, options, begin, writers, saved ? saved->path() : "");
  };
  if (options.output.empty() || options.output_policy != nearfar::output_policy::writer) return run_on(team, nullptr);
  nearfar::output_writers writers(team);
  if (!writers.is_writer()) return run_on(writers.computing(), &writers);
  writers.serve();
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return apps::run_program("nearfar-adaptive-heat", argc, argv, run_told); }
