// SPDX-License-Identifier: BSD-3-Clause
// The program: settings, one shot, files. Exit status 0, 2 (an error) or 3 (a peer does not answer).
#include <app/options.hpp>
#include <app/run.hpp>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>

#include "version_text.h"

namespace {

using namespace seismic;

constexpr apps::program_texts texts{"nearfar-seismic " NEARFAR_VERSION_TEXT, help_text, settings_template,
                                    settings_tables};

int run(const nearfar::team& team, std::span<const char* const> arguments) {
  const app_options options = parse_options(arguments);
  const std::string words = apps::words_without_run(options, texts);
  apps::say(team, words);
  if (!words.empty()) return 0;
  const auto [text, name] = apps::shared_settings(team, options);
  const settings what = settings_in(text, name, options.assignments);
  const std::string policy = what.snapshots.path.empty() ? "" : what.snapshots.policy;
  if (policy != "writer" && policy != "far-writer") return run_shot(team, what, options, streams());
  const bool is_far = policy == "far-writer";
  if (is_far && team.size() == 1)
    throw nearfar::usage_error(
        "snapshots.policy = 'far-writer' takes the last rank for writing, and there is one rank alone: start one more, "
        "or 'thread' writes without one");
  using nearfar::output_placement;
  nearfar::output_writers writers(team, {.placement = is_far ? output_placement::far : output_placement::near});
  if (writers.count() == 0)
    throw nearfar::usage_error(
        "snapshots.policy = 'writer' takes one rank of each node for writing, and no node has two ranks: start one "
        "more, or 'thread' writes without one");
  if (!writers.is_writer()) return run_shot(writers.computing(), what, options, streams(&writers));
  writers.serve();
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return apps::run_program("nearfar-seismic", argc, argv, run); }
