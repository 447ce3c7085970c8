// SPDX-License-Identifier: BSD-3-Clause
// Counts what the library hands to MPI.
#pragma once

#include <exchange/lowering.hpp>
#include <functional>
#include <vector>

namespace nearfar::command {

/// The messages that this process gives to MPI_Isend and MPI_Issend during `run`, sorted; ranks are those of the
/// message's communicator. Local. Persistent requests and collective calls of MPI are not counted.
std::vector<exchange::message> sent_during(const std::function<void()>& run);

}  // namespace nearfar::command
