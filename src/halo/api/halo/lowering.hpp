// SPDX-License-Identifier: BSD-3-Clause
// A halo plan for a modelled machine: what each rank sends and receives, by the code of running plans.
#pragma once

#include <exchange/lowering.hpp>
#include <halo/grid_state.hpp>
#include <nearfar/halo.hpp>

namespace nearfar {

/// Fields of one grid that are exchanged together.
struct halo_request {
  std::vector<index_t> extents;
  grid_options cut{};
  ghosts widths{};
  stencil shape = stencil::box;
  index_t element_bytes = 8;
  index_t fields = 1;
};

class halo_lowering {
 public:
  /// Cuts the grid as every rank of the machine would. O(ranks) time, O(1) memory where nodes are equal.
  /// @throws usage_error as nearfar::grid
  halo_lowering(const node_shape& shape, halo_request what);
  /// The same with tiles as nearfar::grid::from_tiles takes them, one per rank, disjoint and covering the grid;
  /// `what.cut` says no more than what is periodic. O(ranks) time for each rank that is asked for.
  halo_lowering(const node_shape& shape, halo_request what, std::vector<box> tiles);

  box own(int rank) const;  ///< cells
  /// One run of the plan. O(neighbours).
  exchange::rank_flows flows_of(int rank) const;
  const grid_state& cut() const noexcept { return *cut_; }

 private:
  node_shape shape_;
  halo_request what_;
  std::shared_ptr<grid_state> cut_;  ///< as each rank in turn sees it
};

}  // namespace nearfar
