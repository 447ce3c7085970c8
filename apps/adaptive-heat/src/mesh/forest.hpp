// SPDX-License-Identifier: BSD-3-Clause
// The adaptive mesh: an octree over the unit cube whose leaves are spread over the ranks of a team along the Morton
// curve.
#pragma once

#include <base/mpi_check.hpp>
#include <memory>
#include <mesh/ball.hpp>
#include <mesh/coarsening.hpp>
#include <mesh/ghost_layer.hpp>
#include <mesh/leaf_sides.hpp>
#include <mesh/migration.hpp>
#include <mesh/origins.hpp>
#include <mesh/partition.hpp>
#include <mesh/refinement.hpp>
#include <nearfar/sparse_exchange.hpp>
#include <nearfar/team.hpp>
#include <vector>

namespace adaptive_heat {

/// What an adaptation did.
struct adaptation {
  std::int64_t refined = 0;  ///< octants split, on all ranks
  std::int64_t merged = 0;   ///< octants merged on all ranks, eight per octet, as NPB prints it
  std::int64_t total = 0;    ///< leaves on all ranks now
  std::int64_t rounds = 0;   ///< how often ranks told each other what they demand or have merged; 2 if nobody had to

  /// Moves what belongs to the old leaves before it is interpolated. On most ranks it moves nothing; where an octet of
  /// leaves of several ranks was merged, its rank gets the others' leaves. Where before.is_local(), there is nothing to
  /// do.
  migration before = migration::none(0);
  std::vector<octant> old_leaves;  ///< of this rank after `before`, in Morton order
  std::vector<origin> origins;     ///< of each new leaf, in old_leaves
};

/// No rank knows more than its own leaves, those around them, and the P + 1 splitters of the partition.
///
/// The mesh is the coarsest one in which each leaf that the ball touches has the finest level and levels of leaves that
/// share a face or an edge differ by one at most (NPB UA, NAS-04-006). So it depends on the ball only, not on the
/// meshes before. References that calls return stay valid until the next call that changes the mesh or the partition.
/// All calls that are not marked local are collective over the team.
class forest {
 public:
  /// The root alone, on the first rank that has room: rank 0. @throws nearfar::usage_error for levels outside 1 …
  /// max_level
  forest(const nearfar::team& members, int levels);

  /// The mesh for a first ball, in equal shares. It grows by a level at a time and is spread again after each, so that
  /// no rank ever holds much more than its share.
  void start(const hot_region& hot);

  /// Refines and coarsens for where the ball is now. The partition stays, but for leaves that were merged across ranks.
  /// @throws nearfar::usage_error on every rank if the ball is none on any; the mesh is as it was
  /// @cost   time and memory of this rank's leaves; about four deliveries of messages, more while ranks demand things
  /// of each other
  const adaptation& adapt(const hot_region& hot);

  /// The same result from the closed form, for comparison: each rank makes the whole mesh for itself, without any
  /// message but those of merges across ranks.
  const adaptation& adapt_by_closed_form(const hot_region& hot);

  /// Where a rank may have more than (1 + bound) of an equal share (and one leaf), moves splitters as little as makes
  /// it (1 + bound / 2). Equal shares, which bound 0 gives, are the leaves [N r / P, N (r + 1) / P); to have them at
  /// all times would move most leaves each time.
  /// @throws nearfar::usage_error if `bound` is negative or not a number
  /// @cost   nothing where nothing moves and an adaptation came before; else an allgather of a number per rank, and the
  /// leaves
  migration rebalance(double bound);
  migration equalize() { return rebalance(0); }
  /// Any partition: P + 1 ascending keys from 0 to key_end, the same on every rank.
  /// @throws nearfar::usage_error on every rank if these are no such keys or one lies inside of a leaf
  migration move_to(const std::vector<std::uint64_t>& splitters);

  const ghost_layer& ghosts();  ///< made when first asked for after a change
  /// The ghosts alone, as codes. Through an adaptation that merges nothing across ranks they are followed without
  /// another message.
  const codes& ghost_codes();
  /// The ranks that own ghosts, ascending: those whose cells touch cells of this one.
  std::span<const int> partners();
  const std::vector<leaf_sides>& sides();                                  ///< of each leaf of this rank
  const std::vector<octant>& leaves() const noexcept { return octants_; }  ///< this rank's, in Morton order; local
  std::int64_t all_leaves() const noexcept {
    return result_.total;
  }                                                             ///< of all ranks, since the last adaptation; local
  const partition& parts() const noexcept { return parts_; }    ///< local
  const nearfar::team& team() const noexcept { return team_; }  ///< local
  int levels() const noexcept { return levels_; }               ///< the finest level; local

 private:
  void adapt_to(const hot_region& hot, int levels);
  void refresh_partition();
  change_counts finish(codes& old, const partition& old_parts);
  void leaves_changed();
  void count(std::int64_t splits);
  void set_counts(std::int64_t splits, std::span<const std::int64_t> sizes);
  const std::vector<std::int64_t>& leaves_before();
  std::vector<std::int64_t> cuts_within(double bound, const std::vector<std::int64_t>& before) const;
  std::vector<std::uint64_t> splitters_at(const std::vector<std::int64_t>& cuts,
                                          const std::vector<std::int64_t>& before) const;
  migration change_partition(partition next);

  nearfar::team team_;
  own_comm comm_;
  int levels_;
  partition parts_;
  codes leaves_, old_, around_;
  std::vector<octant> octants_;
  std::unique_ptr<nearfar::sparse_exchange> talk_;  ///< refinement and coarsening keep its address
  refinement refinement_;
  coarsening coarsening_;
  ghost_builder ghost_builder_;
  ghost_layer ghosts_;
  side_finder side_finder_;
  std::vector<leaf_sides> sides_;
  bool has_ghosts_ = false, has_layer_ = false;  ///< codes and partners; all of it
  bool has_sides_ = false;
  std::vector<std::int64_t> leaves_before_;  ///< empty where not known
  adaptation result_;
};

}  // namespace adaptive_heat
