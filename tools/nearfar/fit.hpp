// SPDX-License-Identifier: BSD-3-Clause
// Measures what a machine file holds.
#pragma once

#include <model/machine.hpp>
#include <nearfar/team.hpp>

namespace nearfar::command {

/// Latencies, speeds and their variation between the first two ranks of a node, and of two nodes where there are two;
/// the latter stay as they are by default otherwise. Collective; some seconds.
model::machine fitted_machine(const team& members);

}  // namespace nearfar::command
