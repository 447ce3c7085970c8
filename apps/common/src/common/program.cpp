// SPDX-License-Identifier: BSD-3-Clause
#include <common/agreement.hpp>
#include <common/program.hpp>
#include <common/waiting_threads.hpp>
#include <cstdio>
#include <locale>
#include <nearfar/error.hpp>

namespace apps {
namespace {

bool take_wish(std::string_view argument, program_options& options) {
  if (argument == "--help" || argument == "-h")
    options.wants_help = true;
  else if (argument == "--version")
    options.wants_version = true;
  else if (argument == "--write-template")
    options.wants_template = true;
  else if (argument == "--write-tables")
    options.wants_tables = true;
  else if (argument == "--force")
    options.is_forced = true;
  else
    return false;
  return true;
}

void take_file(const std::string& file, program_options& options) {
  if (!options.settings_file.empty())
    throw nearfar::usage_error(options.settings_file + " and " + file + " are two files of settings; give one of them");
  options.settings_file = file;
}

void take_one(argument_list& arguments, program_options& options, const own_option& own) {
  const std::string_view argument = arguments.take(), name = argument.substr(0, argument.find('='));
  if (take_wish(argument, options) || own(argument, name, arguments)) return;
  if (name == "--settings")
    take_file(arguments.value_of(argument, "the name of a file"), options);
  else if (name == "--set")
    options.assignments.push_back(arguments.value_of(argument, "section.key=value"));
  else if (name == "--restart")
    options.restart = arguments.value_of(argument, "the name of a checkpoint");
  else if (!argument.empty() && argument[0] != '-')
    take_file(std::string(argument), options);
  else
    throw nearfar::usage_error("there is no option '" + std::string(name) + "'; --help lists what there is");
}

}  // namespace

void take_options(std::span<const char* const> all, program_options& into, const own_option& own) {
  argument_list arguments(all);
  while (!arguments.is_done()) take_one(arguments, into, own);
}

bool wants_words(const program_options& o) {
  return o.wants_help || o.wants_version || o.wants_template || o.wants_tables;
}

std::string words_without_run(const program_options& options, const program_texts& texts) {
  if (options.wants_help) return texts.help();
  if (options.wants_version) return std::string(texts.version) + '\n';
  if (options.wants_template) return texts.settings_template();
  if (options.wants_tables) return texts.settings_tables();
  return "";
}

void say(const nearfar::team& team, const std::string& words) {
  if (!team.is_root()) return;
  std::fputs(words.c_str(), stdout);
  std::fflush(stdout);
}

named_text shared_settings(const nearfar::team& team, const program_options& options) {
  if (options.settings_file.empty()) return {"", "the settings"};
  return {shared_text(team, options.settings_file), options.settings_file};
}

static int say_how_to_use(const char* name, const nearfar::team& team) {
  if (team.is_root())
    std::fprintf(
        stderr,
        "%s: nothing to do is named. '%s FILE.toml' runs a file of settings, '%s --write-template' prints one to "
        "begin with, '%s --help' lists what there is\n",
        name, name, name, name);
  return 2;
}

int run_program(const char* name, int argc, char** argv,
                const std::function<int(const nearfar::team&, std::span<const char* const>)>& run) {
  std::locale::global(std::locale::classic());  // also C's: numbers are read and written alike everywhere
  shorten_spinning(argv);
  nearfar::runtime mpi(argc, argv);
  const nearfar::team team = mpi.world();
  if (argc < 2) return say_how_to_use(name, team);
  try {
    return run(team, {argv + 1, argv + argc});
  } catch (const nearfar::transport_error& e) {
    // A peer is dead or out of reach: others may wait for this rank in calls that cannot return.
    std::fprintf(stderr, "%s: rank %d: %s\n", name, team.rank(), e.what());
    nearfar::end_job(3);
  } catch (const std::exception& e) {
    if (team.is_root()) std::fprintf(stderr, "%s: %s\n", name, e.what());
    return 2;
  }
}

}  // namespace apps
