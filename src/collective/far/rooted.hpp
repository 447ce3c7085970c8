// SPDX-License-Identifier: BSD-3-Clause
// Bcast and reduce over several nodes: on the root's node the root itself speaks to the other nodes, elsewhere the
// leader does.
#pragma once

#include <collective/algorithm.hpp>

namespace nearfar::collective {

void bcast_by_leader_lines(workspace& work, const job& j);
void reduce_by_leader_lines(workspace& work, const job& j);

/// In pieces through the rings: a piece is passed on to other nodes while the next one comes.
template <index_t piece_bytes>
void bcast_by_leaders(workspace& work, const job& j);
template <index_t piece_bytes>
void reduce_by_leaders(workspace& work, const job& j);

}  // namespace nearfar::collective
