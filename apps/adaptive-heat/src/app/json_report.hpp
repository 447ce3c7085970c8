// SPDX-License-Identifier: BSD-3-Clause
// What a run came to, for machines.
#pragma once

#include <app/options.hpp>
#include <nearfar/team.hpp>
#include <solver/simulation.hpp>
#include <string>

namespace adaptive_heat {

/// Writes times, sizes, traffic, memory and verification as a JSON object; what ranks differ in as min, avg and max
/// over them. Numbers of the mesh and of the traffic are those at the end. Collective. @throws nearfar::io_error on
/// every rank
/// @cost  a few reductions; 16 bytes per rank of the team, for a moment
void write_json(const nearfar::team& members, const app_options& options, const run_result& result,
                const heat_solver& solver);

}  // namespace adaptive_heat
