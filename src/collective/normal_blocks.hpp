// SPDX-License-Identifier: BSD-3-Clause
// The kinds that move blocks between ranks, in bytes.
#pragma once

#include "normal.hpp"

namespace nearfar::collective {

inline std::byte* bytes_of(void* p) { return static_cast<std::byte*>(p); }
inline bool is_in_place(const side& s) { return s.data == MPI_IN_PLACE; }

/// MPICH and its kin refuse a send buffer that is the receive buffer; Open MPI takes some of these calls, so that they
/// must go the same way on every rank.
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
