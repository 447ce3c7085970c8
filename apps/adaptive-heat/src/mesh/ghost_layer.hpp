// SPDX-License-Identifier: BSD-3-Clause
// The remote leaves around a rank's own, and who has which of a rank's own leaves as such.
#pragma once

#include <mesh/node_list.hpp>
#include <mesh/partition.hpp>
#include <nearfar/mpi.hpp>
#include <vector>

namespace adaptive_heat {

/// Ghosts: every remote leaf that shares at least a point with a leaf of this rank: across faces, edges and corners, of
/// whatever size; so also the fine leaves at the parts of a coarse leaf's faces and edges.
///
/// Partners are mutual: who has ghosts here has mirrors there, in the same order.
struct ghost_layer {
  std::vector<octant> leaves;          ///< ghosts in Morton order, which is that of their owners too
  std::vector<int> owners;             ///< of each ghost
  std::vector<int> partners;           ///< ranks that own ghosts, ascending
  std::vector<std::size_t> begins;     ///< ghosts of partner i: [begins[i], begins[i + 1])
  std::vector<std::uint32_t> mirrors;  ///< own leaves that are ghosts elsewhere, by position in this rank's leaves
  std::vector<std::size_t>
      mirror_begins;  ///< what partner i has: mirrors[mirror_begins[i] … mirror_begins[i + 1]), ascending
};

/// Makes ghost layers again and again, in the same memory.
class ghost_builder {
 public:
  /// `comm` is borrowed; messages have tag 2.
  ghost_builder(MPI_Comm comm, int rank) : comm_(comm), rank_(rank) {}

  /// Collective. @pre no splitter inside of a leaf
  /// @cost  see touching_ranks for each leaf; a message per partner
  void build(const partition& parts, const codes& leaves, ghost_layer& layer);
  codes& ghost_codes() noexcept {
    return ghosts_;
  }  ///< the leaves of the layer built last, or what has become of them since

 private:
  void find_mirrors(const partition& parts, const codes& leaves, ghost_layer& layer);
  void exchange(const codes& leaves, ghost_layer& layer);

  MPI_Comm comm_;
  int rank_;
  codes ghosts_, outgoing_, pairs_;
  std::vector<int> around_;
  std::vector<MPI_Request> sends_;
};

}  // namespace adaptive_heat
