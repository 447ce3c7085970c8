// SPDX-License-Identifier: BSD-3-Clause
// Plans by MPI's own nonblocking collectives.
#pragma once

#include <collective/call.hpp>
#include <memory>
#include <nearfar/team.hpp>

#include "operation.hpp"

namespace nearfar::collective {

/// On a communicator that is the plan's alone. Collective over the team.
std::unique_ptr<operation> make_mpi_operation(const call& c, const team& members, bool fits);

}  // namespace nearfar::collective
