// SPDX-License-Identifier: BSD-3-Clause
// The program: settings, one run, files. Exit status 0, 2 (an error) or 3 (a peer does not answer).
#include <app/options.hpp>
#include <app/run.hpp>
#include <common/agreement.hpp>
#include <compare/compare.hpp>

#include "version_text.h"

namespace {

using namespace turbulence;

constexpr apps::program_texts texts{"nearfar-turbulence " NEARFAR_VERSION_TEXT, help_text, settings_template,
                                    settings_tables};

std::string comparison(const nearfar::team& team, const app_options& options) {
  const std::string reference = options.reference.empty() ? "" : apps::shared_text(team, options.reference);
  return comparison_of(apps::shared_text(team, options.compared), options.compared, reference, options.reference);
}

int run(const nearfar::team& team, std::span<const char* const> arguments) {
  const app_options options = parse_options(arguments);
  std::string words = apps::words_without_run(options, texts);
  if (words.empty() && !options.compared.empty()) words = comparison(team, options);
  apps::say(team, words);
  if (!words.empty()) return 0;
  const auto [text, name] = apps::shared_settings(team, options);
  run_flow(team, settings_in(text, name, options.assignments), options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return apps::run_program("nearfar-turbulence", argc, argv, run); }
