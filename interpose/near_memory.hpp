// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alloc_mem out of near memory, so that collectives on it need no copies.
#pragma once

#include <cstdint>
#include <nearfar/mpi.hpp>

namespace nearfar::interpose {

/// Near memory of this many bytes, with whatever numbers; null where the MPI's own is to be asked: few bytes, no room,
/// many pieces already, or an info with wishes that only the MPI may know of. Local.
void* give_near_memory(std::int64_t bytes, MPI_Info info) noexcept;

/// Takes back what give_near_memory gave, and keeps some of it for the next request; false for any other address.
/// Local.
bool take_near_memory_back(void* at) noexcept;

/// True once this process was given some.
bool has_near_memory() noexcept;

}  // namespace nearfar::interpose
