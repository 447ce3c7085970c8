// SPDX-License-Identifier: BSD-3-Clause
// Everything that a run is told, as its file says it.
#pragma once

#include <common/documented_key.hpp>
#include <solver/initial.hpp>
#include <span>
#include <string>
#include <string_view>

namespace turbulence {

struct time_settings {
  double end = 10;
  double step = 0;        ///< 0: as courant says
  double courant = 0.5;   ///< of the step: dt max(|u|/dx + |v|/dy + |w|/dz)
  double longest = 0.05;  ///< step that courant may give
  double limit_s = 0;     ///< of the clock, after which the run ends with a checkpoint; 0: none
};

struct snapshot_settings {
  std::string path;  ///< empty: none are written
  double interval = 1;
  std::string format = "vtkhdf", compression, policy;
  std::vector<std::string> fields{"u", "v", "w", "vorticity", "scalar"};
  bool is_double = false, has_one_file = true;
  /// x, y, z, in units of the box' lengths: the points in between are written.
  std::array<double, 3> from{}, to{1, 1, 1};
};

struct settings {
  box_shape box;
  flow_options flow;  ///< with viscosity, forcing, scalar, engine
  initial_options initial;
  bool has_layers = true;  ///< of the scalar
  time_settings time;
  std::string series, spectra, checkpoints;  ///< paths; empty: none
  index_t series_steps = 1, checkpoint_steps = 0;
  double spectra_interval = 1;
  snapshot_settings snapshots;
};

/// What such a file describes. Local: equal texts give equal settings or errors.
/// @param name         of the file, for messages
/// @param assignments  "section.key=value" each: replace keys of the file
/// @throws nearfar::usage_error  with file, line, key, value and what is allowed
settings settings_in(std::string_view text, const std::string& name, std::span<const std::string> assignments = {});

/// All keys, section by section.
std::span<const apps::documented_key> documented_keys();
std::string settings_template();  ///< a file with all keys, which says what they mean
std::string settings_tables();    ///< the same in Markdown

}  // namespace turbulence
