// SPDX-License-Identifier: BSD-3-Clause
// Cuts a case into tiles and finds what each pair of ranks exchanges.
#include "bench_halo_tile.hpp"

#include <algorithm>
#include <nearfar/mpi.hpp>

namespace bench {
namespace {

std::vector<int> cut(const halo_case& c, int ranks) {
  std::vector<int> grid(c.tile.size(), 1);
  std::vector<int> factors(c.is_cut.size(), 0);
  if (!factors.empty()) MPI_Dims_create(ranks, static_cast<int>(factors.size()), factors.data());
  for (std::size_t i = 0; i < factors.size(); ++i) grid[static_cast<std::size_t>(c.is_cut[i])] = factors[i];
  return grid;
}

/// Calls f for every direction of the stencil, in one order on all ranks.
template <class F>
void for_directions(const halo_case& c, F f) {
  std::vector<int> direction(c.tile.size(), -1);
  for (;;) {
    const auto moves = std::count_if(direction.begin(), direction.end(), [](int s) { return s != 0; });
    bool has_ghosts = true;
    for (std::size_t d = 0; d < direction.size(); ++d) has_ghosts &= direction[d] == 0 || c.ghosts[d] > 0;
    if (moves > 0 && has_ghosts && (!c.is_star || moves == 1)) f(direction);
    std::size_t d = direction.size();
    while (d-- > 0 && ++direction[d] == 2) direction[d] = -1;
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

std::vector<int> opposite(std::vector<int> direction) {
  for (int& s : direction) s = -s;
  return direction;
}

}  // namespace

geometry::geometry(const halo_case& c, int rank, int ranks)
    : process_grid(cut(c, ranks)), coordinates(c.tile.size()), own(c.tile), ghosts(c.ghosts), periodic(c.periodic) {
  int rest = rank;
  for (std::size_t d = c.tile.size(); d-- > 0;) {
    coordinates[d] = rest % process_grid[d];
    rest /= process_grid[d];
  }
  for (std::size_t d = 0; d < c.tile.size(); ++d) {
    global.push_back(c.tile[d] * process_grid[d]);
    lower.push_back(c.tile[d] * coordinates[d]);
    with_ghosts.push_back(c.tile[d] + 2 * c.ghosts[d]);
  }
  for_directions(c, [&](const auto& direction) { add_direction(direction); });
  for (const auto& l : links) {
    index_t elements = 0;
    for (const auto& box : l.sends) elements += make_block(box, dense_strides(with_ghosts)).elements();
    if (l.peer != rank) bytes_to_a_neighbour = std::max(bytes_to_a_neighbour, elements * c.element_bytes * c.fields);
  }
}

// A receive from `direction` meets the send of that neighbour, whose receiver lies the other way.
void geometry::add_direction(const std::vector<int>& direction) {
  if (const int from = neighbour(direction); from >= 0) link_to(from).receives.push_back(ghost_box(direction));
  const auto back = opposite(direction);
  if (const int to = neighbour(back); to >= 0) {
    link_to(to).sends.push_back(edge_box(back));
    if (std::count(direction.begin(), direction.end(), 0) == static_cast<std::ptrdiff_t>(direction.size()) - 1)
      faces.push_back(edge_box(back));
  }
}

int geometry::neighbour(const std::vector<int>& direction) const {
  int rank = 0;
  for (std::size_t d = 0; d < direction.size(); ++d) {
    int at = coordinates[d] + direction[d];
    if ((at < 0 || at >= process_grid[d]) && !periodic[d]) return -1;
    at = (at + process_grid[d]) % process_grid[d];
    rank = rank * process_grid[d] + at;
  }
  return rank;
}

cell_box geometry::ghost_box(const std::vector<int>& direction) const {
  cell_box box;
  for (std::size_t d = 0; d < direction.size(); ++d) {
    const index_t g = ghosts[d];
    box.lower.push_back(direction[d] < 0 ? 0 : direction[d] > 0 ? g + own[d] : g);
    box.upper.push_back(direction[d] < 0 ? g : direction[d] > 0 ? own[d] + 2 * g : g + own[d]);
  }
  return box;
}

cell_box geometry::edge_box(const std::vector<int>& direction) const {
  cell_box box;
  for (std::size_t d = 0; d < direction.size(); ++d) {
    const index_t g = ghosts[d];
    box.lower.push_back(direction[d] > 0 ? own[d] : g);
    box.upper.push_back(direction[d] < 0 ? 2 * g : own[d] + g);
  }
  return box;
}

cell_box geometry::own_cells() const { return ghost_box(std::vector<int>(own.size(), 0)); }

link& geometry::link_to(int peer) {
  for (auto& l : links)
    if (l.peer == peer) return l;
  links.push_back({peer, {}, {}});
  return links.back();
}

index_t geometry::global_cell(const std::vector<index_t>& local) const {
  index_t cell = 0;
  for (std::size_t d = 0; d < local.size(); ++d) {
    index_t at = lower[d] + local[d] - ghosts[d];
    if ((at < 0 || at >= global[d]) && !periodic[d]) return -1;
    at = (at + global[d]) % global[d];
    cell = cell * global[d] + at;
  }
  return cell;
}

block make_block(const cell_box& box, const std::vector<index_t>& strides) {
  // Merge dimensions whose elements follow each other, from the fastest one up; at most three loops are left over runs.
  std::vector<std::pair<index_t, index_t>> loops;  // count, stride; fastest first
  block b;
  b.offset = offset_of(box.lower, strides);
  for (std::size_t d = box.lower.size(); d-- > 0;) {
    const index_t count = box.upper[d] - box.lower[d];
    if (count == 1) continue;
    if (loops.empty() && strides[d] == b.run)
      b.run *= count;
    else if (!loops.empty() && strides[d] == loops.back().first * loops.back().second)
      loops.back().first *= count;
    else
      loops.emplace_back(count, strides[d]);
  }
  std::size_t slot = 3;
  for (const auto& [count, stride] : loops) {
    --slot;  // four dimensions at most, the fastest of which is a run or the innermost loop
    b.counts[slot] = count;
    b.strides[slot] = stride;
  }
  return b;
}

layout::layout(const geometry& where, std::vector<index_t> strides_in_elements)
    : strides(std::move(strides_in_elements)) {
  for (const auto& l : where.links) {
    block_link made{.peer = l.peer, .sends = {}, .receives = {}};
    for (const auto& box : l.sends) {
      made.sends.push_back(make_block(box, strides));
      made.send_elements += made.sends.back().elements();
    }
    for (const auto& box : l.receives) {
      made.receives.push_back(make_block(box, strides));
      made.receive_elements += made.receives.back().elements();
      filled.push_back(made.receives.back());
    }
    links.push_back(std::move(made));
  }
  for (const auto& box : where.faces) faces.push_back(make_block(box, strides));
}

std::vector<index_t> dense_strides(const std::vector<index_t>& extents) {
  std::vector<index_t> strides(extents.size(), 1);
  for (std::size_t d = extents.size(); d-- > 1;) strides[d - 1] = strides[d] * extents[d];
  return strides;
}

}  // namespace bench
