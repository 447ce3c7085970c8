// SPDX-License-Identifier: BSD-3-Clause
// The eager limit: up to this length messages between nodes are sent without asking the receiver first.
#pragma once

#include <base/numbers.hpp>
#include <nearfar/mpi.hpp>

namespace nearfar::far {

/// As measured over TCP: of Open MPI 64 kB less its header, as btl_tcp_eager_limit says; of MPICH 16 kB.
#if defined(OPEN_MPI)
inline constexpr index_t longest_eager_bytes = 61440;
#else
inline constexpr index_t longest_eager_bytes = 16384;
#endif

}  // namespace nearfar::far
