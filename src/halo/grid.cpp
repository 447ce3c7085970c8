// SPDX-License-Identifier: BSD-3-Clause
// Making grids: collective checks, the choice of tiles, and their description.
#include <algorithm>
#include <base/axis_names.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <halo/description.hpp>
#include <halo/grid_state.hpp>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>
#include <topology/modelled_team.hpp>
#include <topology/team_state.hpp>

#include "boxes.hpp"
#include "placement.hpp"
#include "process_grid.hpp"

namespace nearfar {
namespace {

using state_pointer = std::shared_ptr<grid_state>;
using sizes = std::vector<index_t>;
constexpr index_t most_cells = index_t{1} << 60;

struct grid_counter {
  index_t made = 0;
};

index_t next_serial(const nearfar::team& members) {
  return ++state_of(members).attachment<grid_counter>([] { return new grid_counter; }).made;
}

std::string number_of(std::size_t dimension, const sizes& extents) {
  return axis_number(as_index(dimension), as_index(extents.size()));
}

void check_extents(const sizes& extents) {
  if (extents.empty() || extents.size() > at(max_dimensions))
    throw usage_error(text("a grid has 1 to ", max_dimensions, " dimensions, not ", extents.size()));
  index_t cells = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] <= 0)
      throw usage_error(
          text("dimension ", number_of(d, extents), " of the grid has ", extents[d], " cells; it needs at least 1"));
    if (extents[d] > most_cells / cells)
      throw usage_error(
          text("a grid of ", extents_in_words(extents), " cells is too large; at most 2^60 cells are possible"));
    cells *= extents[d];
  }
}

void check_count(const char* what, std::size_t count, const sizes& extents) {
  if (count > extents.size())
    throw usage_error(text(what, " has ", count, " entries for a grid of ", extents.size(), " dimensions"));
}

void check_tile_extents(const sizes& widths, const std::string& d, index_t extent, bool allow_empty) {
  index_t sum = 0;
  for (const index_t w : widths) {
    if (w < 0 || w > extent || (w == 0 && !allow_empty))
      throw usage_error(text("tile_extents of dimension ", d, " has a tile of ", w, " cells; ", allow_empty ? 0 : 1,
                             " to ", extent, " are possible", allow_empty ? "" : " (0 with allow_idle)"));
    sum += w;
  }
  if (sum != extent)
    throw usage_error(
        text("tile_extents of dimension ", d, " add up to ", sum, "; the grid has ", extent, " cells there"));
}

void check_options(const sizes& extents, const grid_options& o) {
  check_count("periodic", o.periodic.size(), extents);
  check_count("process_grid", o.process_grid.size(), extents);
  check_count("tile_extents", o.tile_extents.size(), extents);
  for (std::size_t d = 0; d < o.process_grid.size(); ++d)
    if (o.process_grid[d] < 0)
      throw usage_error(text("process_grid asks for ", o.process_grid[d], " tiles along dimension ",
                             number_of(d, extents), "; give 1 or more, or 0 to let the library choose"));
  for (std::size_t d = 0; d < o.tile_extents.size(); ++d) {
    const sizes& widths = o.tile_extents[d];
    if (widths.empty()) continue;
    check_tile_extents(widths, number_of(d, extents), extents[d], o.allow_idle);
    if (d < o.process_grid.size() && o.process_grid[d] != 0 && at(o.process_grid[d]) != widths.size())
      throw usage_error(text("process_grid asks for ", o.process_grid[d], " tiles along dimension ",
                             number_of(d, extents), ", tile_extents gives ", widths.size()));
  }
}

template <class T>
std::vector<index_t> padded(const std::vector<T>& values, std::size_t count) {
  std::vector<index_t> all(values.begin(), values.end());
  all.resize(count);
  return all;
}

void require_same_request(const nearfar::team& members, const sizes& extents, const grid_options& o) {
  sizes rest = padded(o.process_grid, extents.size());
  rest.push_back(static_cast<index_t>(o.placement));
  rest.push_back(o.allow_idle ? 1 : 0);
  sizes widths;
  for (const sizes& w : o.tile_extents)
    widths.push_back(as_index(w.size())), widths.insert(widths.end(), w.begin(), w.end());
  require_same(members,
               {{"the number of cells per dimension of a grid", extents, true},
                {"the periodicity of a grid", padded(o.periodic, extents.size())},
                {"a grid's options (process_grid, placement, allow_idle)", std::move(rest)},
                {"the tile_extents of a grid (per dimension: number of tiles, their cells)", std::move(widths)}});
}

std::vector<axis> choose_axes(const nearfar::team& members, const sizes& extents, const grid_options& o,
                              const std::vector<bool>& periodic) {
  cut_request r{
      extents,        periodic,    std::vector<int>(extents.size(), 0), std::vector<bool>(extents.size(), false),
      members.size(), o.allow_idle};
  std::copy(o.process_grid.begin(), o.process_grid.end(), r.fixed.begin());
  for (std::size_t d = 0; d < o.tile_extents.size(); ++d) {
    if (o.tile_extents[d].empty()) continue;
    r.is_given[d] = true;
    r.fixed[d] = static_cast<int>(o.tile_extents[d].size());
  }
  const std::vector<int> chosen = choose_process_grid(r);
  std::vector<axis> axes;
  for (std::size_t d = 0; d < extents.size(); ++d)
    axes.push_back(r.is_given[d] ? axis(o.tile_extents[d]) : axis(extents[d], chosen[d]));
  return axes;
}

void set_tiles(grid_state& g, const cartesian_tiling& tiles) {
  g.tiles = tiles;
  g.own = tiles.tile_of(g.members.rank());
}

// Rank order is kept where the node tiles would have more far face cells (possible with uneven nodes).
void place_ranks(grid_state& g, const std::vector<axis>& axes, const std::vector<bool>& periodic) {
  const node_finder nodes(g.members);
  tile_order in_rank_order;
  for (std::size_t d = 0; d < axes.size(); ++d) in_rank_order.block[d] = axes[d].tiles();
  const cartesian_tiling plain(axes, in_rank_order);
  set_tiles(g, plain);
  g.faces = g.in_rank_order = count_faces(g, nodes);
  if (g.asked == placement::rank_order) return;
  set_tiles(g, cartesian_tiling(axes, node_tile_order(g.members, axes, periodic, nodes)));
  g.faces = count_faces(g, nodes);
  g.has_node_tiles = g.faces.far_cells <= g.in_rank_order.far_cells;
  if (g.has_node_tiles) return;
  set_tiles(g, plain);
  g.faces = g.in_rank_order;
}

int count_ranks_with_cells(const grid_state& g) {
  if (is_modelled(g.members)) {
    const auto& tiles = std::get<cartesian_tiling>(g.tiles);
    int count = 0;
    for (int r = 0; r < g.members.size(); ++r) count += tiles.tile_of(r).is_empty() ? 0 : 1;
    return count;
  }
  const int mine = g.own.is_empty() ? 0 : 1;
  int sum = 0;
  watched_mpi("MPI_Allreduce", [&] { return MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, g.members.comm()); });
  return sum;
}

state_pointer new_state(const nearfar::team& members, const sizes& extents, const std::vector<bool>& periodic,
                        tiling tiles) {
  auto g = std::make_shared<grid_state>(grid_state{{extents}, members, std::move(tiles)});
  g->serial = next_serial(members);
  std::copy(periodic.begin(), periodic.end(), g->periodic.begin());
  return g;
}

state_pointer make_cartesian(const nearfar::team& members, const sizes& extents, const grid_options& o) {
  agree(members, [&] { check_extents(extents), check_options(extents, o); });
  require_same_request(members, extents, o);
  std::vector<bool> periodic = o.periodic;
  periodic.resize(extents.size());
  const std::vector<axis> axes = choose_axes(members, extents, o, periodic);
  const state_pointer g = new_state(members, extents, periodic, given_tiling{});
  for (const axis& a : axes) g->process_grid.push_back(a.tiles());
  g->asked = o.placement;
  place_ranks(*g, axes, periodic);
  g->ranks_with_cells = count_ranks_with_cells(*g);
  return g;
}

// ---- given tiles ----

box normalised(const box& own, const sizes& extents) {
  const int dimensions = static_cast<int>(extents.size());
  if (own.is_empty()) return {dimensions, {}, {}};
  if (own.dimensions != dimensions)
    throw usage_error(text("this rank's tile has ", own.dimensions, " dimensions, the grid ", dimensions));
  if (intersection(own, box_of(extents)) != own)
    throw usage_error(
        text("this rank's tile ", box_in_words(own), " reaches outside the grid ", box_in_words(box_of(extents))));
  box tile = own;  // unused dimensions are zero, so that boxes can be compared
  for (int d = dimensions; d < max_dimensions; ++d) tile.lower[at(d)] = tile.upper[at(d)] = 0;
  return tile;
}

std::vector<box> gather_tiles(const nearfar::team& members, const box& own) {
  static_assert(sizeof(box::lower) == max_dimensions * sizeof(index_t));
  std::array<index_t, 2 * max_dimensions> mine{};
  std::copy(own.lower.begin(), own.lower.end(), mine.begin());
  std::copy(own.upper.begin(), own.upper.end(), mine.begin() + max_dimensions);
  const int count = 2 * max_dimensions;
  sizes all(as_size(members.size()) * mine.size());
  watched_mpi("MPI_Allgather", [&] {
    return MPI_Allgather(mine.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, members.comm());
  });
  std::vector<box> boxes;
  for (std::size_t r = 0; r < all.size(); r += mine.size()) {
    box b{own.dimensions, {}, {}};
    std::copy_n(&all[r], max_dimensions, b.lower.begin());
    std::copy_n(&all[r + max_dimensions], max_dimensions, b.upper.begin());
    boxes.push_back(b);
  }
  return boxes;
}

// Each rank looks at the tiles of the ranks above it: O(ranks) work.
void check_overlap(const std::vector<box>& boxes, int rank) {
  for (std::size_t r = at(rank) + 1; r < boxes.size(); ++r) {
    const box shared = intersection(boxes[at(rank)], boxes[r]);
    if (shared.is_empty()) continue;
    throw usage_error(text("the tiles of ranks ", rank, " and ", r, " overlap: ", box_in_words(boxes[at(rank)]),
                           " and ", box_in_words(boxes[r]), " share ", shared.cells(), " cells"));
  }
}

box first_gap(const std::vector<box>& boxes, const sizes& extents) {
  region left{box_of(extents)};
  for (const box& b : boxes) {
    region rest;
    for (const box& piece : left)
      for (const box& p : without(piece, intersection(piece, b))) rest.push_back(p);
    left = std::move(rest);
  }
  return left.front();
}

// The same on every rank; tiles are known to be disjoint and inside.
void check_cover(const std::vector<box>& boxes, const sizes& extents) {
  index_t sum = 0;
  for (const box& b : boxes) sum += b.cells();
  const index_t cells = box_of(extents).cells();
  if (sum == cells) return;
  throw usage_error(text("the tiles cover ", sum, " of the grid's ", cells, " cells; no rank owns ",
                         box_in_words(first_gap(boxes, extents))));
}

state_pointer make_given(const nearfar::team& members, const sizes& extents, const box& own,
                         std::vector<bool> periodic) {
  box tile;
  agree(members, [&] {
    check_extents(extents);
    check_count("periodic", periodic.size(), extents);
    tile = normalised(own, extents);
  });
  require_same(members, {{"the number of cells per dimension of a grid", extents, true},
                         {"the periodicity of a grid", padded(periodic, extents.size())}});
  std::vector<box> boxes = gather_tiles(members, tile);
  agree(members, [&] { check_overlap(boxes, members.rank()); });
  check_cover(boxes, extents);
  const state_pointer g = new_state(members, extents, periodic, given_tiling{std::move(boxes)});
  g->own = tile;
  g->faces = count_faces(*g, node_finder(members));
  g->in_rank_order = g->faces;
  g->ranks_with_cells = count_ranks_with_cells(*g);
  return g;
}

// ---- description ----

std::string percentage(index_t part, index_t whole) {
  return whole == 0 ? "0 %" : text((100 * part + whole / 2) / whole, " %");
}

std::string describe_cuts(const grid_state& g) {
  const auto* c = std::get_if<cartesian_tiling>(&g.tiles);
  if (!c) return text(g.ranks_with_cells, " tiles given by their ranks");
  sizes widest;
  for (const axis& a : c->axes()) widest.push_back(a.widest());
  return text(extents_in_words(g.process_grid), " tiles of at most ", extents_in_words(widest), " cells");
}

std::string describe_placement(const grid_state& g) {
  const auto* c = std::get_if<cartesian_tiling>(&g.tiles);
  if (!c) return "as given";
  if (!g.has_node_tiles)
    return g.asked == placement::rank_order ? "rank order" : "rank order (node tiles would have more far face cells)";
  if (!c->order().ranks.empty()) return "node tiles (uneven nodes: nearby tiles to each node in turn)";
  const std::vector<int> block(c->order().block.begin(), c->order().block.begin() + g.dimensions());
  return text("node tiles, ", extents_in_words(block), " on each node");
}

}  // namespace

box grid_state::all() const { return box_of(extents); }

grid::grid(const nearfar::team& members, std::vector<index_t> extents, grid_options options)
    : grid(make_cartesian(members, extents, options)) {}

grid::grid(std::shared_ptr<grid_state> state) : state_(std::move(state)), cells_(state_.get()) {}

grid grid::from_tiles(const nearfar::team& members, std::vector<index_t> extents, const box& own,
                      std::vector<bool> periodic) {
  return grid(make_given(members, extents, own, std::move(periodic)));
}

const nearfar::team& grid::team() const noexcept { return state_->members; }
const std::vector<int>& grid::process_grid() const noexcept { return state_->process_grid; }

bool grid::is_periodic(int dimension) const noexcept {
  return dimension >= 0 && dimension < max_dimensions && state_->periodic[at(dimension)];
}

std::string grid::describe() const { return from_zero(description_of(*this)); }

std::string description_of(const grid& cells) {
  const grid_state& g = state_of(cells);
  std::string periodic;
  for (int d = 0; d < g.dimensions(); ++d)
    if (g.periodic[at(d)]) periodic += text(periodic.empty() ? ", periodic in " : ", ", axis_number(d, g.dimensions()));
  std::string all =
      text("grid of ", extents_in_words(g.extents), " cells", periodic, " on ", g.members.size(), " ranks (",
           g.members.nodes(), g.members.nodes() == 1 ? " node" : " nodes", "): ", describe_cuts(g), "\n");
  if (g.ranks_with_cells < g.members.size())
    all += text("  ranks without cells: ", g.members.size() - g.ranks_with_cells, "\n");
  all += text("  placement: ", describe_placement(g), "\n  far faces: ", g.faces.far_faces, " of ", g.faces.faces, ", ",
              percentage(g.faces.far_cells, g.faces.cells), " of the face cells");
  if (g.has_node_tiles)
    all += text(" (in rank order ", g.in_rank_order.far_faces, ", ",
                percentage(g.in_rank_order.far_cells, g.in_rank_order.cells), ")");
  return all + "\n";
}

}  // namespace nearfar
