// SPDX-License-Identifier: BSD-3-Clause
#include <app/options.hpp>

namespace seismic {

app_options parse_options(std::span<const char* const> all) {
  app_options options;
  apps::take_options(all, options, [&](std::string_view argument, std::string_view name, apps::argument_list& behind) {
    if (name != "--write-model") return false;
    options.model = behind.value_of(argument, "how names of files begin");
    return true;
  });
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
