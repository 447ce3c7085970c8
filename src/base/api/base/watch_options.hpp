// SPDX-License-Identifier: BSD-3-Clause
// When the watchdog over MPI's own calls is off.
#pragma once

namespace nearfar {

/// From now on only where NEARFAR_WATCHDOG is set: in programs that do not know of us a rank may be late for hours. Local.
void watch_mpi_only_if_asked() noexcept;

}  // namespace nearfar
