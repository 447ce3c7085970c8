// SPDX-License-Identifier: BSD-3-Clause
// What the environment says to the preloaded library; the same on every rank, as the library itself must be.
#pragma once

#include <string>

namespace nearfar::interpose {

struct settings {
  bool is_on = true;    ///< NEARFAR=off and NEARFAR_PRELOAD=off leave every call to the MPI
  long first_call = 3;  ///< NEARFAR_PRELOAD_AFTER: the collective call of a communicator at which its engine is made
  bool is_first_call_strict =
      false;                      ///< it was set; else it becomes later where communicators turn out to be short-lived
  bool keeps_order = false;       ///< NEARFAR_REPRODUCIBLE: not even the first sum is the MPI's
  long engines = 64;              ///< NEARFAR_PRELOAD_ENGINES: engines that one process has at a time
  bool gives_near_memory = true;  ///< NEARFAR_PRELOAD_ALLOC=off leaves MPI_Alloc_mem to the MPI
  long handshake_s = 60;  ///< NEARFAR_PRELOAD_HANDSHAKE: seconds that MPI_Init waits for the library on the other
                          ///< ranks; 0: without a limit
  std::string report;  ///< NEARFAR_REPORT: empty no report; "1" to standard error; else the file that gets JSON lines
  bool is_reporting() const noexcept { return !report.empty(); }
};

/// Read at the first collective call. A value that cannot be read is a line on standard error, and the default is
/// taken: a program that does not know of this library must not end because of it.
const settings& wanted();

}  // namespace nearfar::interpose
