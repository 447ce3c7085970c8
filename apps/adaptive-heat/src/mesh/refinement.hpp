// SPDX-License-Identifier: BSD-3-Clause
// The first half of an adaptation: touched leaves become fine, and others as fine as the balance demands.
#pragma once

#include <mesh/ball.hpp>
#include <mesh/node_list.hpp>
#include <mesh/partition.hpp>
#include <nearfar/sparse_exchange.hpp>
#include <string>

namespace adaptive_heat {

/// Splits leaves until every touched one has the finest level and levels across faces and edges differ by one at most.
///
/// Nodes to be refined are found level by level from the finest: a refined node needs its parent refined and the
/// parents of its neighbours of the same level. What lies on another rank becomes a message to its owner: "this node
/// must be refined". That goes on until no rank has written any.
class refinement {
 public:
  refinement(nearfar::sparse_exchange& talk, int rank) : talk_(talk), rank_(rank) {}

  /// Refines this rank's `leaves`, which are balanced. Collective.
  /// `ghosts`: remote leaves around them, if all ranks know theirs (else null on all): what they show to be fine enough
  /// is not asked for, and they become what they are after the refinement. `complaint`: what is wrong with the request
  /// on this rank, or empty.
  /// @throws nearfar::usage_error  on every rank if any has a complaint
  /// @cost   one delivery of messages if nothing is asked for, which is so where the ball stays inside of what is one
  /// rank's
  void run(const hot_region& hot, int levels, const partition& parts, codes& leaves, codes* ghosts,
           const std::string& complaint);
  std::int64_t splits() const noexcept { return static_cast<std::int64_t>(all_done_.size()); }  ///< by this rank; local

 private:
  struct demand {
    std::uint64_t node;  ///< must be refined
    std::uint64_t cell;  ///< one of its cells, which the demanding node touches: its owner is asked
    bool operator<(const demand& other) const noexcept { return node < other.node; }
  };

  void mark_touched(const hot_region& hot, const octant& o, int levels);
  void demand_around(const octant& o);
  void tell_others(const codes& split, const partition& parts);
  void close(const partition& parts);
  void meet(const demand& d, const partition& parts);
  void take(std::span<const nearfar::sparse_exchange::message> messages);
  bool is_local_leaf_too_coarse(std::uint64_t node, std::uint64_t cell) const;
  void split(codes& leaves);
  void follow(codes& ghosts, const partition& parts);

  nearfar::sparse_exchange& talk_;
  int rank_;
  std::span<const std::uint64_t> leaves_, ghosts_;
  std::vector<codes> marked_;  ///< nodes of each level that are to be split and whose demands are not met yet
  std::vector<codes> done_;    ///< those of each level whose demands are
  std::vector<demand> demands_;
  std::int64_t demanded_ = 0;  ///< of other ranks, in this round
  bool tells_ = false;         ///< other ranks have leaves of this one as ghosts, and follow what becomes of them
  codes all_done_, split_leaves_, news_;
  std::vector<int> around_;
};

}  // namespace adaptive_heat
