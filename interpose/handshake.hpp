// SPDX-License-Identifier: BSD-3-Clause
// Whether all ranks have this library, with the same settings: asked once, inside MPI_Init.
#pragma once

#include <string>

namespace nearfar::interpose {

struct agreement {
  std::string difference;     ///< empty when all can go on; else why all ranks must leave the calls to the MPI
  bool is_reporting = false;  ///< all ranks want a report
};

/// Waits for all ranks of MPI_COMM_WORLD to come here. A rank without the library never comes: then the job ends with a
/// line that says so. Communicates only by ways that a rank that takes no part does not notice. Collective, right after
/// MPI_Init.
/// @return the same on every rank
agreement meet_everyone() noexcept;

}  // namespace nearfar::interpose
