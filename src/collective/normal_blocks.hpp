// SPDX-License-Identifier: BSD-3-Clause
// The kinds that move blocks between ranks, in bytes.
#pragma once

#include "normal.hpp"

namespace nearfar::collective {

inline std::byte* bytes_of(void* p) { return static_cast<std::byte*>(p); }
inline bool is_in_place(const side& s) { return s.data == MPI_IN_PLACE; }

/// Does a reduction give this rank a result? Its receive buffer may be anything otherwise, also the send buffer.
inline bool has_result(const call& c, int rank) {
  if (c.what == kind::exscan) return rank > 0;
  return c.what != kind::reduce || rank == c.root;
}

/// MPICH and its kin refuse a block that is sent from where it is received; Open MPI takes it, in reductions as if in
/// place. A call is left to the MPI on one rank alone only where that refuses it: all others must go the same way as on
/// the other ranks, and blocks of one array may be sent and received if they are not the same.
#ifdef OPEN_MPI
inline constexpr bool refuses_aliases = false;
#else
inline constexpr bool refuses_aliases = true;
#endif

/// gather, scatter, allgather and alltoall.
bool make_equal_blocks(const call& c, int rank, int ranks, job& j, job_memory& memory);

/// gatherv, scatterv, allgatherv, alltoallv and alltoallw.
bool make_listed_blocks(const call& c, int rank, int ranks, job& j, job_memory& memory);

}  // namespace nearfar::collective
