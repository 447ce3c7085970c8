// SPDX-License-Identifier: BSD-3-Clause
// Bcast and reduce over several nodes: on the root's node the root itself communicates with the other nodes, elsewhere
// the leader does.
#pragma once

#include <algorithm>
#include <collective/algorithm.hpp>
#include <collective/inter_node.hpp>

namespace nearfar::collective {

/// A vector in pieces that travel one after the other.
struct piece_list {
  index_t per_piece, element, count, pieces;
  piece_list(index_t count_, index_t element_, index_t piece_bytes)
      : per_piece(std::max<index_t>(1, piece_bytes / element_)),
        element(element_),
        count(count_),
        pieces((count_ + per_piece - 1) / per_piece) {}
  index_t elements(index_t k) const { return std::min(per_piece, count - k * per_piece); }
  index_t bytes(index_t k) const { return elements(k) * element; }
  index_t offset(index_t k) const { return k * per_piece * element; }
};

/// The tree of nodes for so many pieces.
inline tree_shape bcast_shape(int nodes, index_t pieces) {
  return pieces > nodes ? tree_shape::chain : tree_shape::binomial;
}
/// The root hears from all nodes where that is quick, or where an operation needs their order.
inline tree_shape reduction_shape(int nodes, bool is_commutative, tree_shape beyond) {
  constexpr int most_star_nodes = 4;
  return !is_commutative || nodes <= most_star_nodes ? tree_shape::star : beyond;
}

void bcast_by_leader_lines(workspace& work, const job& j);
void reduce_by_leader_lines(workspace& work, const job& j);

/// In pieces through the rings: a piece is passed on to other nodes while the next one comes.
void bcast_by_leaders(workspace& work, const job& j);
void reduce_by_leaders(workspace& work, const job& j);

}  // namespace nearfar::collective
