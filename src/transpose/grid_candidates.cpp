// SPDX-License-Identifier: BSD-3-Clause
// Factorisations of the number of ranks, and a model of what they cost.
#include "grid_candidates.hpp"

#include <algorithm>
#include <array>
#include <base/axis_names.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <topology/team_state.hpp>
#include <transpose/decomposition.hpp>

namespace nearfar {

namespace {

void add_factorisations(int ranks, std::size_t axes, std::vector<int>& begun, std::vector<process_grid>& all) {
  if (axes == 1) {
    begun.push_back(ranks);
    all.push_back({begun});
    return begun.pop_back();
  }
  for (int parts = 1; parts <= ranks; ++parts) {
    if (ranks % parts != 0) continue;
    begun.push_back(parts);
    add_factorisations(ranks / parts, axes - 1, begun, all);
    begun.pop_back();
  }
}

void add_orders(std::vector<process_grid>& all) {
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& parts = all[i].parts;
    if (std::count(parts.begin(), parts.end(), 1) + 1 < std::ssize(parts))
      all.push_back({parts, rank_order::first_axis_first});
  }
}

void count_move(const transpose_side& from, const transpose_side& to, index_t cell_bytes, grid_load& sum) {
  const team& members = from.parts.team();
  for (const share_of_box& s : state_of(to.parts).parts_of(from.parts.own())) {
    const index_t bytes = s.part.cells() * cell_bytes;
    const bool is_far = !members.is_near(s.rank);
    (s.rank == members.rank() ? sum.own_bytes : is_far ? sum.far_bytes : sum.near_bytes) += bytes;
    sum.far_messages += is_far ? 1 : 0;
  }
}

}  // namespace

std::vector<process_grid> grid_candidates(int ranks, std::size_t axes, bool has_several_nodes) {
  std::vector<process_grid> all;
  std::vector<int> begun;
  add_factorisations(ranks, axes, begun, all);
  const auto square = std::find(all.begin(), all.end(), process_grid{square_grid(ranks, axes)});
  std::rotate(all.begin(), square, square + 1);
  if (has_several_nodes) add_orders(all);
  return all;
}

std::string name_of(const process_grid& g) {
  return text(from_zero(extents_in_words(g.parts)), g.order == rank_order::first_axis_first ? " first axis first" : "");
}

double grid_load::seconds() const noexcept {
  constexpr double far_s = 1e-9, near_s = 0.3e-9, own_s = 0.2e-9, message_s = 5e-6;  // per byte, per message
  return far_s * static_cast<double>(far_bytes) + near_s * static_cast<double>(near_bytes) +
         own_s * static_cast<double>(own_bytes) + message_s * static_cast<double>(far_messages);
}

grid_load busiest_load(const team& members, const std::vector<transpose_side>& sides, index_t cell_bytes) {
  grid_load mine;
  for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
    count_move(sides[i], sides[i + 1], cell_bytes, mine);
    count_move(sides[i + 1], sides[i], cell_bytes, mine);
  }
  struct {
    double seconds;
    int rank;
  } in{mine.seconds(), members.rank()}, out{};
  watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, members.comm()); });
  std::array<index_t, 4> numbers{mine.far_bytes, mine.near_bytes, mine.own_bytes, mine.far_messages};
  watched_mpi("MPI_Bcast", [&] { return MPI_Bcast(numbers.data(), 4, MPI_INT64_T, out.rank, members.comm()); });
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

}  // namespace nearfar
