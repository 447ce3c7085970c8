// SPDX-License-Identifier: BSD-3-Clause
// Plans on these ranks beside what the model says of them.
#pragma once

#include <model/machine.hpp>
#include <nearfar/team.hpp>

namespace nearfar::command {

/// Runs operations of the fronts with methods that the model knows, for about so many seconds each, and prints on rank
/// 0 the messages that all ranks handed to MPI, the times, and the same of the model. Collective.
/// @returns 1 if messages of a rank are not those of the model, else 0
/// @throws usage_error  ranks that are not dealt to nodes one node after the other, equally many to each
int print_predicted(const team& members, const model::machine& m, double seconds, bool is_json);

}  // namespace nearfar::command
