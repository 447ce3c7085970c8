// SPDX-License-Identifier: BSD-3-Clause
// Options are --name=value or --name value; what has no -- is the settings' file.
#include <app/options.hpp>
#include <common/arguments.hpp>
#include <nearfar/error.hpp>

namespace seismic {
namespace {

bool set_wish(std::string_view argument, app_options& options) {
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

void set_file(const std::string& file, app_options& options) {
  if (!options.settings_file.empty())
    throw nearfar::usage_error(options.settings_file + " and " + file + " are two files of settings; give one of them");
  options.settings_file = file;
}

void take_one(apps::argument_list& arguments, app_options& options) {
  const std::string_view argument = arguments.take(), name = argument.substr(0, argument.find('='));
  if (set_wish(argument, options)) return;
  if (name == "--settings")
    set_file(arguments.value_of(argument, "the name of a file"), options);
  else if (name == "--set")
    options.assignments.push_back(arguments.value_of(argument, "section.key=value"));
  else if (name == "--restart")
    options.restart = arguments.value_of(argument, "the name of a checkpoint");
  else if (name == "--write-model")
    options.model = arguments.value_of(argument, "how names of files begin");
  else if (!argument.empty() && argument[0] != '-')
    set_file(std::string(argument), options);
  else
    throw nearfar::usage_error("there is no option '" + std::string(name) + "'; --help lists what there is");
}

}  // namespace

app_options parse_options(std::span<const char* const> all) {
  app_options options;
  apps::argument_list arguments(all);
  while (!arguments.is_done()) take_one(arguments, options);
  return options;
}

std::string help_text() {
  return R"(nearfar-seismic: waves in isotropic, VTI and TTI media

  nearfar-seismic [FILE.toml] [options]

  --settings=FILE             what is to be done (TOML); the same as naming the file alone
  --set section.key=value     replaces a key of the file: --set time.end=2 --set 'grid.points=[200, 200, 200]';
                              keys of sources and receivers in all of them
  --write-template            prints a file of settings with all keys and what they mean
  --write-tables              the same keys as tables in Markdown
  --write-model=PATH          writes what the medium is, PATH_vp.rsf, PATH_epsilon.rsf ..., and ends
  --restart=CHECKPOINT        goes on from there, on any number of ranks and threads
  --force                     runs even if memory seems not to suffice
  --help, --version
)";
}

}  // namespace seismic
