// SPDX-License-Identifier: BSD-3-Clause
// Programs that ranks start (system, popen, exec): they inherit LD_PRELOAD, but may use another MPI.
#pragma once

namespace nearfar::interpose {

/// From now on the environment shows children of this process that a rank started them. Local, inside MPI_Init.
void mark_children() noexcept;

}  // namespace nearfar::interpose
