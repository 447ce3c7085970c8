// SPDX-License-Identifier: BSD-3-Clause
// What programs with a file of settings have in common: options, words that need no run, errors and exit status.
#pragma once

#include <common/arguments.hpp>
#include <functional>
#include <nearfar/team.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

struct program_options {
  std::string settings_file{};             ///< empty: what keys are if they are left out
  std::vector<std::string> assignments{};  ///< "section.key=value"
  std::string restart{};                   ///< a checkpoint; empty: from the start
  bool is_forced = false;                  ///< a run is made that seems not to fit into memory
  bool wants_help = false, wants_version = false, wants_template = false, wants_tables = false;
};

/// Is asked about an argument, up to its "=" in `name`, that is not common; takes the value, if it has one, from the
/// list. False: there is no such option.
using own_option = std::function<bool(std::string_view argument, std::string_view name, argument_list& behind)>;

/// Options are --name=value or --name value; what has no -- is the settings' file. Local.
/// @throws nearfar::usage_error  naming the option, what was given and what is allowed
void take_options(std::span<const char* const> all, program_options& into, const own_option& own);

/// Whether there is something to print in place of a run. Local.
bool wants_words(const program_options& options);

/// What a program prints in place of a run.
struct program_texts {
  const char* version;
  std::string (*help)();
  std::string (*settings_template)();
  std::string (*settings_tables)();
};
/// Empty: there is a run to make. Local.
std::string words_without_run(const program_options& options, const program_texts& texts);

/// Prints on the root, at once. Local.
void say(const nearfar::team& team, const std::string& words);

/// The text of the settings' file, or none, and its name for messages. Collective. @throws nearfar::io_error
struct named_text {
  std::string text, name;
};
named_text shared_settings(const nearfar::team& team, const program_options& options);

/// A whole program between the MPI's begin and end: exit status of `run`, 2 with one sentence of the root without any
/// argument, which says how to use it, and after an error, which is the same on all ranks; where a peer does not answer
/// the rank says so and the job ends with 3.
int run_program(const char* name, int argc, char** argv,
                const std::function<int(const nearfar::team&, std::span<const char* const>)>& run);

}  // namespace apps
