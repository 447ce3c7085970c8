// SPDX-License-Identifier: BSD-3-Clause
// The program: settings, one shot, files. Exit status 0, 2 (an error) or 3 (a peer does not answer).
#include <unistd.h>

#include <app/options.hpp>
#include <app/run.hpp>
#include <common/agreement.hpp>
#include <cstdio>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>

#include "version_text.h"

namespace {

using namespace seismic;

/// What is printed and needs no run. False: there is a run to make.
bool was_printed(const nearfar::team& team, const app_options& options) {
  std::string words;
  if (options.wants_help) words = help_text();
  if (options.wants_version) words = "nearfar-seismic " NEARFAR_VERSION_TEXT "\n";
  if (options.wants_template) words = settings_template();
  if (options.wants_tables) words = settings_tables();
  if (team.is_root()) std::fputs(words.c_str(), stdout);
  return !words.empty();
}

int run(const nearfar::team& team, std::span<const char* const> arguments) {
  const app_options options = parse_options(arguments);
  if (was_printed(team, options)) return 0;
  const std::string text =
      options.settings_file.empty() ? std::string() : apps::shared_text(team, options.settings_file);
  const std::string name = options.settings_file.empty() ? "the settings" : options.settings_file;
  const settings what = settings_in(text, name, options.assignments);
  const std::string policy = what.snapshots.path.empty() ? "" : what.snapshots.policy;
  if (policy != "writer" && policy != "far-writer") return run_shot(team, what, options, streams());
  const bool is_far = policy == "far-writer";
  if (is_far && team.size() == 1)
    throw nearfar::usage_error(
        "snapshots.policy = 'far-writer' takes the last rank for writing, and there is one rank alone: start one more, "
        "or "
        "'thread' writes without one");
  using nearfar::output_placement;
  nearfar::output_writers writers(team, {.placement = is_far ? output_placement::far : output_placement::near});
  if (writers.count() == 0)
    throw nearfar::usage_error(
        "snapshots.policy = 'writer' takes one rank of each node for writing, and no node has two ranks: start one "
        "more, "
        "or 'thread' writes without one");
  if (!writers.is_writer()) return run_shot(writers.computing(), what, options, streams(&writers));
  writers.serve();
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
    std::fprintf(stderr, "nearfar-seismic: rank %d: %s\n", team.rank(), e.what());
    nearfar::end_job(3);
  } catch (const std::exception& e) {
    if (team.is_root()) std::fprintf(stderr, "nearfar-seismic: %s\n", e.what());
    return 2;
  }
}
