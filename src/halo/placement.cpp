// SPDX-License-Identifier: BSD-3-Clause
// Node tiles by formula if nodes are alike, otherwise by table; and the count of far faces.
#include "placement.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <numeric>
#include <topology/modelled_team.hpp>
#include <topology/team_state.hpp>

#include "neighbours.hpp"
#include "process_grid.hpp"

namespace nearfar {
namespace {

bool has_formula(const team_state& t) noexcept { return t.nodes == 1 || t.is_block_mapped || t.is_cyclic_mapped; }

std::vector<int> nodes_of_all(const team_state& t) {
  std::vector<int> nodes(static_cast<std::size_t>(t.size));
  if (t.comm == MPI_COMM_NULL) {  // a modelled team, whose last node is smaller
    for (int r = 0; r < t.size; ++r) nodes[at(r)] = r / t.largest_node;
    return nodes;
  }
  watched_mpi("MPI_Allgather", [&] { return MPI_Allgather(&t.node, 1, MPI_INT, nodes.data(), 1, MPI_INT, t.comm); });
  return nodes;
}

}  // namespace

node_finder::node_finder(const team& members) : team_(&state_of(members)) {
  if (!has_formula(*team_)) nodes_ = nodes_of_all(*team_);
}

int node_finder::node_of(int rank) const noexcept {
  if (!nodes_.empty()) return nodes_[at(rank)];
  if (team_->nodes == 1) return 0;
  return team_->is_block_mapped ? rank / team_->near_size : rank % team_->nodes;
}

namespace {

void add_faces(const grid_state& g, const node_finder& nodes, int rank, const box& own, face_count& sum) {
  const int here = nodes.node_of(rank);
  for (int d = 0; d < g.dimensions(); ++d) {
    for (const side s : both_sides) {
      for (const tile& t : tiles_at_face(g, own, d, s)) {
        if (t.rank == rank) continue;
        const bool is_far = nodes.node_of(t.rank) != here;
        const index_t cells = cells_at_face(own, t, d);
        sum.faces += 1, sum.cells += cells;
        sum.far_faces += is_far ? 1 : 0, sum.far_cells += is_far ? cells : 0;
      }
    }
  }
}

// Of a modelled team nobody else counts; its tiles are always cuts.
face_count faces_of_all(const grid_state& g, const node_finder& nodes) {
  face_count sum;
  const auto& tiles = std::get<cartesian_tiling>(g.tiles);
  for (int r = 0; r < g.members.size(); ++r) add_faces(g, nodes, r, tiles.tile_of(r), sum);
  return sum;
}

}  // namespace

face_count count_faces(const grid_state& g, const node_finder& nodes) {
  if (is_modelled(g.members)) return faces_of_all(g, nodes);
  face_count mine;
  add_faces(g, nodes, g.members.rank(), g.own, mine);
  const std::array<index_t, 4> addends{mine.faces, mine.far_faces, mine.cells, mine.far_cells};
  std::array<index_t, 4> sums{};
  watched_mpi("MPI_Allreduce",
              [&] { return MPI_Allreduce(addends.data(), sums.data(), 4, MPI_INT64_T, MPI_SUM, g.members.comm()); });
  return {sums[0], sums[1], sums[2], sums[3]};
}

namespace {

// Ranks sorted by node take the tiles in an order in which consecutive tiles lie close together.
std::vector<int> ranks_by_table(const std::vector<int>& process_grid, const std::vector<index_t>& widths, int ranks,
                                const node_finder& nodes) {
  std::vector<int> sorted(at(ranks));
  std::iota(sorted.begin(), sorted.end(), 0);
  std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) { return nodes.node_of(a) < nodes.node_of(b); });
  const std::vector<int> numbers = compact_order(process_grid, widths);
  std::vector<int> rank_of_number(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) rank_of_number[at(numbers[i])] = sorted[i];
  return rank_of_number;
}

}  // namespace

tile_order node_tile_order(const team& members, const std::vector<axis>& axes, const std::vector<bool>& periodic,
                           const node_finder& nodes) {
  const team_state& t = state_of(members);
  std::vector<int> process_grid;
  std::vector<index_t> widths;
  int tiles = 1;
  for (const axis& a : axes) process_grid.push_back(a.tiles()), widths.push_back(a.widest()), tiles *= a.tiles();
  tile_order order;
  std::copy(process_grid.begin(), process_grid.end(), order.block.begin());
  if (t.nodes == 1) return order;
  if (has_formula(t) && tiles == t.size) {
    order.block = choose_node_block(process_grid, widths, periodic, t.near_size);
    order.cyclic_nodes = t.is_block_mapped ? 0 : t.nodes;
  } else {
    order.ranks = ranks_by_table(process_grid, widths, t.size, nodes);
  }
  return order;
}

}  // namespace nearfar
