// SPDX-License-Identifier: BSD-3-Clause
// A collective call as algorithms see it: contiguous bytes, in-place resolved, offsets instead of displacements.
#pragma once

#include <base/numbers.hpp>
#include <collective/call.hpp>
#include <cstddef>
#include <reduction/reducer.hpp>
#include <span>

namespace nearfar::collective {

/// Where the blocks of the v and w variants lie, in bytes; one entry per rank, one entry on sides with one
/// block only, empty on the side where this rank has none. reduce_scatter lists the parts of its vector on both sides.
struct block_map {
  std::span<const index_t> send_bytes{}, send_offsets{}, receive_bytes{}, receive_offsets{};
};

/// `bytes` is the length of one block; of the whole vector in bcast and in all reductions; of all blocks together in
/// allgatherv; 0 in gatherv, scatterv, alltoallv and alltoallw, where no rank knows all lengths. It is the same on
/// every rank. In place means in == out for reductions, in == own block of out for allgather and gather's root, out ==
/// own block of in for scatter's root; alltoall is never in place here.
struct job {
  kind what = kind::barrier;
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  index_t bytes = 0;
  index_t count = 0;  ///< elements in `bytes` for reductions
  int root = 0;       ///< team rank
  reduction::reducer op{};
  block_map blocks{};
};

}  // namespace nearfar::collective
