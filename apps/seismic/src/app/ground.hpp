// SPDX-License-Identifier: BSD-3-Clause
// What a run's settings say of grid and medium, with the layers at the sides.
#pragma once

#include <model/checks.hpp>
#include <model/medium.hpp>
#include <nearfar/team.hpp>
#include <settings/settings.hpp>

namespace seismic {

struct ground {
  grid inner;              ///< of the settings
  nearfar::ghosts layers;  ///< so many points more on each side
  grid all;                ///< with them
  medium of;               ///< on `all`
  system_kind system = system_kind::isotropic;
  model_facts facts;                   ///< of the inner grid, over all ranks
  std::vector<std::string> caveats{};  ///< of its files
  double least_vs_share = 0;  ///< vs is raised to at least so much of vp, for the self-adjoint system's contrasts
};

/// Grids, layers and system alone, which need no medium. Local.
ground outline_of(const settings& what);

/// Reads and checks the medium. Collective. @throws nearfar::usage_error  on every rank: values that cannot be, with
/// the first such cell
/// @throws nearfar::io_error  on every rank: files that cannot be read
ground ground_of(const nearfar::team& team, const settings& what);

}  // namespace seismic
