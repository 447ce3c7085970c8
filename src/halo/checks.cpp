// SPDX-License-Identifier: BSD-3-Clause
// Collective checks of halo plans.
#include "checks.hpp"

#include <algorithm>
#include <base/axis_names.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <halo/grid_state.hpp>
#include <limits>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

#include "neighbours.hpp"

namespace nearfar {

std::string part_name(const halo_options& options, std::size_t part) {
  return text("halo \"", options.name, "\", part ", place_number(as_index(part)));
}

namespace {

void check_exchanged_widths(const halo_part& p, const std::string& what) {
  for (int d = 0; d < p.cells.dimensions(); ++d)
    if (p.exchange.low(d) > p.widths.low(d) || p.exchange.high(d) > p.widths.high(d))
      throw usage_error(text(what, " is to fill (", p.exchange.low(d), ", ", p.exchange.high(d),
                             ") ghost layers in dimension ", axis_number(d, p.cells.dimensions()), "; the array has (",
                             p.widths.low(d), ", ", p.widths.high(d), ")"));
}

void check_part(const halo_part& p, const team& members, const std::string& what) {
  if (&state_of(p.cells.team()) != &state_of(members))
    throw usage_error(text(what, " is on a grid of another team than part 0; one plan serves one team"));
  const int dimensions = p.cells.dimensions();
  check_element_bytes(p.layout.element_bytes, what);
  check_widths(p.widths, dimensions, what);
  check_widths(p.exchange, dimensions, what);
  check_exchanged_widths(p, what);
  check_layout(p.layout, grown(p.cells.own(), p.widths), what);
}

void append(std::vector<index_t>& values, const ghosts& g, int dimensions) {
  for (int d = 0; d < dimensions; ++d) values.push_back(g.low(d)), values.push_back(g.high(d));
}

/// Everything that must be the same; the grids' extents stand in front of their numbers to make a readable message.
std::vector<shared_values> alike(const std::vector<halo_part>& parts, const halo_options& options) {
  std::vector<index_t> grids, numbers, element_bytes, widths, exchange;
  for (const halo_part& p : parts) {
    const int dimensions = p.cells.dimensions();
    grids.insert(grids.end(), p.cells.extents().begin(), p.cells.extents().end());
    numbers.push_back(state_of(p.cells).serial);
    element_bytes.push_back(as_index(p.layout.element_bytes));
    append(widths, p.widths, dimensions);
    append(exchange, p.exchange, dimensions);
  }
  const std::string of = text(" of halo \"", options.name, "\"");
  return {{"the number of parts" + of, {as_index(parts.size())}},
          {"the stencil (0 box, 1 star)" + of, {static_cast<index_t>(options.stencil)}},
          {"the extents of the parts' grids" + of, std::move(grids)},
          {"the choice of grids (numbered as created)" + of, std::move(numbers)},
          {"the element bytes of the parts" + of, std::move(element_bytes)},
          {"the ghost widths (low, high per dimension) of the parts" + of, std::move(widths)},
          {"the ghost layers to fill (low, high per dimension) in the parts" + of, std::move(exchange)}};
}

// ---- reach ----

struct reach {
  index_t most = std::numeric_limits<index_t>::max();  // layers that all neighbouring tiles can give
  int rank = std::numeric_limits<int>::max();          // owner of the narrowest one
};

reach reach_across(const grid_state& g, int d, side s) {
  reach r;
  for (const tile& t : tiles_at_face(g, g.own, d, s)) {
    const reach other{t.cells.extent(d), t.rank};
    if (other.most < r.most || (other.most == r.most && other.rank < r.rank)) r = other;
  }
  return r;
}

// Two values per dimension order, as lowest value and lowest complement; ranks without cells have no opinion.
std::array<reach, 2> opinion_on_order(const halo_part& p) {
  if (p.cells.own().is_empty()) return {};
  index_t code = 0;
  for (const int d : walking_order(p.layout, p.cells.dimensions())) code = code * max_dimensions + d;
  return {reach{code, 0}, reach{-code, 0}};
}

struct pair_of_long_and_int {  // as MPI_LONG_INT wants it
  long value;
  int rank;
};
static_assert(sizeof(long) == sizeof(index_t));

std::vector<reach> lowest_of_all(const team& members, const std::vector<reach>& mine) {
  std::vector<pair_of_long_and_int> sent, lowest(mine.size());
  for (const reach& r : mine) sent.push_back({r.most, r.rank});
  watched_mpi("MPI_Allreduce", [&] {
    return MPI_Allreduce(sent.data(), lowest.data(), checked_int(as_index(mine.size()), "the number of halo parts"),
                         MPI_LONG_INT, MPI_MINLOC, members.comm());
  });
  std::vector<reach> result;
  for (const auto& l : lowest) result.push_back({l.value, l.rank});
  return result;
}

void check_width(int width, const reach& r, const std::string& d, side s, const std::string& what) {
  if (width <= r.most) return;
  throw usage_error(text(what, ": ", width, " ghost layers on the ", s == side::low ? "low" : "high",
                         " side of dimension ", d, " reach past the tile of rank ", r.rank, ", which is ", r.most,
                         " cells wide there; at most ", r.most, " are possible (or cut dimension ", d,
                         " into fewer tiles)"));
}

dimension_order agreed_order(const reach& lowest, const reach& negated) {
  dimension_order order{0, 1, 2, 3};
  if (lowest.most != -negated.most) return order;
  index_t code = lowest.most;
  for (int i = max_dimensions - 1; i >= 0; --i)
    order[at(i)] = static_cast<int>(code % max_dimensions), code /= max_dimensions;
  return order;
}

}  // namespace

std::uint64_t check_parts(const std::vector<halo_part>& parts, const halo_options& options) {
  const team& members = parts.front().cells.team();
  agree(members, [&] {
    for (std::size_t i = 0; i < parts.size(); ++i) check_part(parts[i], members, part_name(options, i));
  });
  return require_same(members, alike(parts, options));
}

std::vector<dimension_order> check_reach(const std::vector<halo_part>& parts, const halo_options& options) {
  std::vector<reach> mine;
  for (const halo_part& p : parts) {
    for (const reach& r : opinion_on_order(p)) mine.push_back(r);
    for (int d = 0; d < p.cells.dimensions(); ++d)
      for (const side s : both_sides) mine.push_back(reach_across(state_of(p.cells), d, s));
  }
  const std::vector<reach> lowest = lowest_of_all(parts.front().cells.team(), mine);
  std::vector<dimension_order> orders;
  auto next = lowest.begin();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    orders.push_back(agreed_order(next[0], next[1]));
    next += 2;
    for (int d = 0; d < parts[i].cells.dimensions(); ++d) {
      const std::string number = axis_number(d, parts[i].cells.dimensions());
      check_width(parts[i].exchange.low(d), *next++, number, side::low, part_name(options, i));
      check_width(parts[i].exchange.high(d), *next++, number, side::high, part_name(options, i));
    }
  }
  return orders;
}

}  // namespace nearfar
