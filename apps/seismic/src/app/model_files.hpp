// SPDX-License-Identifier: BSD-3-Clause
// The medium as files that the program and others read.
#pragma once

#include <app/ground.hpp>
#include <nearfar/team.hpp>
#include <string>

namespace seismic {

/// PATH_vp.rsf, PATH_epsilon.rsf and so on (with PATH_vp.rsf@ …): what the medium has on the inner grid, z slowest,
/// angles in degrees. They can be given as files of a model. Collective; the root writes. @throws nearfar::io_error  on
/// every rank
void write_model(const nearfar::team& team, const ground& on, const std::string& path);

}  // namespace seismic
