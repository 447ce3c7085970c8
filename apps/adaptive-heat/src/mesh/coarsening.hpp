// SPDX-License-Identifier: BSD-3-Clause
// The second half of an adaptation: octets of leaves that nobody needs become their parents, across ranks too.
#pragma once

#include <mesh/ball.hpp>
#include <mesh/node_list.hpp>
#include <mesh/partition.hpp>
#include <nearfar/sparse_exchange.hpp>

namespace adaptive_heat {

/// Merges octets of leaves until none can be merged: the parent must not be touched, and no leaf across its faces and
/// edges may be finer than the octet.
///
/// Merges only ever allow further ones, so what a rank knows may be old without harm, and the end is the same in any
/// order. Octets of one rank are merged by it, from the finest level up. Where a splitter lies in an octet, each rank
/// in it votes once its part of the octet is ready, the owner of the octet's first cell merges it, and all ranks in it
/// tell their partners. It is over when no rank has written to another.
class coarsening {
 public:
  coarsening(nearfar::sparse_exchange& talk, int rank) : talk_(talk), rank_(rank) {}

  struct outcome {
    bool has_crossed = false;  ///< leaves of several ranks were merged somewhere, so that splitters lie in leaves
    std::int64_t splits = 0;   ///< what all ranks gave as theirs
    std::vector<std::int64_t> leaves{};  ///< of each rank
  };
  /// Coarsens this rank's `leaves`, given the `ghosts` around them and the `partners` that have these. A leaf made from
  /// the leaves of several ranks is given to the owner of its first cell. Where there is none such, ghosts become what
  /// they are afterwards. `splits` are added up over the ranks on the way. Collective.
  /// @cost  a delivery of messages, and one more for each time that ranks have to tell each other something
  outcome run(const hot_region& hot, const partition& parts, codes& leaves, std::span<const int> partners,
              codes& ghosts, std::int64_t splits);

  /// Where this rank's piece begins if leaves are not to be cut: at the end of the leaf that its old beginning lies in.
  /// Local.
  std::uint64_t beginning_after_merges() const;

 private:
  struct shared_node {  ///< a node that this rank shares with others
    std::uint64_t node;
    bool has_voted;
  };
  struct vote {
    std::uint64_t node;
    int rank;
    bool operator==(const vote&) const = default;
  };

  void start(const hot_region& hot, const codes& leaves, std::span<const std::uint64_t> ghosts);
  void find_octets(const hot_region& hot);
  void find_shared_nodes(const hot_region& hot);
  void add_shared_nodes(const hot_region& hot, std::uint64_t leaf);
  void sweep(const hot_region& hot);
  void sweep_level(const hot_region& hot, std::size_t level);
  void consider_parent(const hot_region& hot, std::uint64_t child);
  bool is_blocked(std::uint64_t node) const;
  bool has_fine_children(std::uint64_t neighbour, direction from) const;
  bool is_octet_at(std::size_t first, std::uint64_t parent) const;
  bool is_refined(std::uint64_t node) const;
  bool is_leaf(std::uint64_t node) const;
  bool is_mine(std::uint64_t node) const;
  bool reaches_here(std::uint64_t node) const;
  void cast_votes();
  bool is_ready(std::uint64_t node) const;
  void count(const vote& v);
  void merge_across(std::uint64_t node);
  void tell_others(std::uint64_t node);
  void take(std::span<const nearfar::sparse_exchange::message> messages);
  void apply(codes& leaves);
  void follow(codes& ghosts) const;
  template <class Keep>
  void merge_leaves(std::span<const std::uint64_t> leaves, codes& out, Keep&& keep) const;

  nearfar::sparse_exchange& talk_;
  int rank_;
  const partition* parts_ = nullptr;
  std::span<const int> partners_;
  codes all_;                              ///< ghosts and leaves as they were at the start
  std::size_t first_ = 0, last_ = 0;       ///< this rank's: [first_, last_)
  std::vector<codes> octets_;              ///< parents, by level, of own octets that are not merged yet
  std::vector<codes> merged_;              ///< by level, nodes that were merged, own and remote ones
  std::vector<shared_node> shared_nodes_;  ///< the finest first
  std::vector<vote> votes_;
  codes fresh_, kept_, all_merged_;
  std::vector<int> around_;
  bool has_crossed_ = false;  ///< this rank merged an octet of several ranks
};

}  // namespace adaptive_heat
