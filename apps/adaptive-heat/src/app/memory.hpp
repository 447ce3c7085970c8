// SPDX-License-Identifier: BSD-3-Clause
// Whether a problem fits into memory, before it is begun.
#pragma once

#include <app/options.hpp>
#include <base/problem.hpp>
#include <nearfar/team.hpp>

namespace adaptive_heat {

/// What a rank's part of the frames takes in which the series waits to be written; 0 without --output.
double expected_frame_bytes(double elements, const app_options& options);

/// About how many elements the mesh has: of a ball well inside the cube to a quarter, elsewhere fewer.
/// @source the mean number of cells of a lattice that touch a ball is a polynomial of its radius (Steiner's formula for
/// cube and ball)
double expected_elements(const problem& p);
/// Bytes of this process for so many elements of its own.
double expected_bytes(double elements, exchange_form form, int order = usual_order);

/// Collective. @throws nearfar::resource_error  on every rank if some node has less memory than its ranks will need,
/// with both numbers
void check_memory(const nearfar::team& members, const app_options& options);

}  // namespace adaptive_heat
