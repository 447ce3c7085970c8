// SPDX-License-Identifier: BSD-3-Clause
// Any call handed to MPI, blocking or not, with counts of 64 bits.
#pragma once

#include <collective/call.hpp>
#include <nearfar/mpi.hpp>
#include <nearfar/team.hpp>
#include <vector>

namespace nearfar::collective {

/// True if MPI's own call takes the numbers as they are: all fit an int. Local; ranks may differ in gatherv and
/// scatterv, where only the root sees all.
bool fits_int(const call& c, int rank, int ranks);

/// Whether the MPI has calls with counts of 64 bits: then gatherv and scatterv left to it take any numbers, though the
/// root alone knows of them.
#if MPI_VERSION >= 4
inline constexpr bool has_large_counts = true;
#else
inline constexpr bool has_large_counts = false;
#endif

/// MPI's own call. Numbers beyond int go by derived types and in pieces; `fits` must be the same on every rank, but for
/// gatherv and scatterv where has_large_counts. Collective over `comm`. @return MPI's code
int call_plainly(const call& c, MPI_Comm comm, bool fits);

/// The same under the watchdog over MPI's calls where networks can fail: on a single node its 10 ns would be a tenth of
/// the fastest calls.
int call_plainly(const call& c, const team& members, bool fits);

/// The same without waiting: adds requests, which stand for this call when all are complete. Lists must be of int and
/// live that long. Calls with lists whose numbers do not fit wait.
int start_plainly(const call& c, MPI_Comm comm, bool fits, std::vector<MPI_Request>& requests);

}  // namespace nearfar::collective
