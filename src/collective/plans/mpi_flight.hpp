// SPDX-License-Identifier: BSD-3-Clause
// Plans by MPI's own nonblocking collectives.
#pragma once

#include <collective/call.hpp>
#include <memory>
#include <nearfar/team.hpp>

#include "flight.hpp"

namespace nearfar::collective {

/// On a communicator that is the plan's alone. Collective over the team.
std::unique_ptr<flight> make_mpi_flight(const call& c, const team& members, bool fits);

}  // namespace nearfar::collective
