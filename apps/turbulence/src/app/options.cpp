// SPDX-License-Identifier: BSD-3-Clause
// Behind the word `compare` stands the series.
#include <app/options.hpp>
#include <nearfar/error.hpp>

namespace turbulence {
namespace {

bool take_own(std::string_view argument, std::string_view name, apps::argument_list& behind, app_options& options) {
  if (argument == "--interpolate")
    options.is_interpolated = true;
  else if (argument == "compare")
    options.compared = behind.is_done() ? "" : behind.take();
  else if (name == "--reference")
    options.reference = behind.value_of(argument, "the name of a file");
  else
    return false;
  if (argument == "compare" && options.compared.empty())
    throw nearfar::usage_error("compare needs the name of a series: compare turbulence.series");
  return true;
}

}  // namespace

app_options parse_options(std::span<const char* const> all) {
  app_options options;
  apps::take_options(all, options, [&](std::string_view argument, std::string_view name, apps::argument_list& behind) {
    return take_own(argument, name, behind, options);
  });
  if (options.is_interpolated && options.restart.empty())
    throw nearfar::usage_error("--interpolate goes with --restart=CHECKPOINT, of whose grid it speaks");
  if (!options.reference.empty() && options.compared.empty())
    throw nearfar::usage_error("--reference goes with compare RUN.series");
  return options;
}

std::string help_text() {
  return R"(nearfar-turbulence: incompressible flow in a periodic box by Fourier series

  nearfar-turbulence [FILE.toml] [options]
  nearfar-turbulence compare RUN.series [--reference=FILE]

  --settings=FILE             what is to be done (TOML); the same as naming the file alone
  --set section.key=value     replaces a key of the file: --set time.end=2 --set 'grid.points=[128, 128, 128]'
  --write-template            prints a file of settings with all keys and what they mean
  --write-tables              the same keys as tables in Markdown
  --restart=CHECKPOINT        goes on from there, on any number of ranks, with the same bits
  --interpolate               the checkpoint may be of another grid: modes that both have are taken
  --reference=FILE            columns time, energy, -dE/dt, enstrophy; left out: the Taylor-Green vortex at Re = 1600
  --force                     runs even if memory seems not to suffice
  --help, --version
)";
}

}  // namespace turbulence
