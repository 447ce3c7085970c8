// SPDX-License-Identifier: BSD-3-Clause
// Searches over the ways to write a number of ranks as a product.
#include "process_grid.hpp"

#include <algorithm>
#include <base/axis_names.hpp>
#include <base/text.hpp>
#include <functional>
#include <limits>
#include <nearfar/error.hpp>

#include "boxes.hpp"

namespace nearfar {
namespace {

using factors = std::vector<int>;
constexpr double copied_inside = 0.25;  // weight of a ghost cell that a rank copies from itself

// Calls `visit` with every way to write `product` as an ordered product of allowed factors, larger first factors first.
void for_each_product(int product, std::size_t count, const std::function<bool(std::size_t, int)>& is_allowed,
                      factors& chosen, const std::function<void(const factors&)>& visit) {
  const std::size_t d = chosen.size();
  if (d == count) {
    if (product == 1) visit(chosen);
    return;
  }
  for (int f = product; f >= 1; --f) {
    if (product % f != 0 || !is_allowed(d, f)) continue;
    chosen.push_back(f);
    for_each_product(product / f, count, is_allowed, chosen, visit);
    chosen.pop_back();
  }
}

factors cheapest_product(int product, std::size_t count, const std::function<bool(std::size_t, int)>& is_allowed,
                         const std::function<double(const factors&)>& cost) {
  factors best, chosen;
  double lowest = std::numeric_limits<double>::infinity();
  for_each_product(product, count, is_allowed, chosen, [&](const factors& f) {
    const double c = cost(f);
    if (c < lowest) lowest = c, best = f;
  });
  return best;
}

double work_of_busiest(const cut_request& r, const factors& p) {
  double cells = 1;
  std::vector<double> widths;
  for (std::size_t d = 0; d < p.size(); ++d) {
    widths.push_back(static_cast<double>((r.extents[d] + p[d] - 1) / p[d]));
    cells *= widths[d];
  }
  double work = cells;
  for (std::size_t d = 0; d < p.size(); ++d) {
    const double sides = r.periodic[d] ? 2 : std::min(2, p[d] - 1);
    work += sides * (p[d] > 1 ? 1 : copied_inside) * cells / widths[d];
  }
  return work;
}

factors best_for(const cut_request& r, int ranks) {
  const auto is_allowed = [&](std::size_t d, int f) { return r.fixed[d] != 0 ? f == r.fixed[d] : f <= r.extents[d]; };
  return cheapest_product(ranks, r.extents.size(), is_allowed, [&](const factors& f) { return work_of_busiest(r, f); });
}

index_t product_of_fixed(const cut_request& r) {
  index_t product = 1;
  for (const int f : r.fixed)
    if (f != 0) product = std::min<index_t>(product * f, std::numeric_limits<int>::max());
  return product;
}

index_t cells_of(const cut_request& r) { return box_of(r.extents).cells(); }

int most_that_fit(const cut_request& r) {
  const bool may_be_empty = std::find(r.is_given.begin(), r.is_given.end(), true) != r.is_given.end();
  const index_t most = may_be_empty ? r.ranks : std::min<index_t>(r.ranks, cells_of(r));
  for (int ranks = static_cast<int>(most); ranks >= 1; --ranks)
    if (!best_for(r, ranks).empty()) return ranks;
  return 0;
}

void check_fixed(const cut_request& r) {
  for (std::size_t d = 0; d < r.fixed.size(); ++d) {
    if (!r.is_given[d] && r.fixed[d] > r.extents[d])
      throw usage_error(text("process_grid asks for ", r.fixed[d], " tiles along dimension ",
                             axis_number(static_cast<index_t>(d), static_cast<index_t>(r.extents.size())),
                             ", which has ", r.extents[d], " cells; at most ", r.extents[d], " are possible"));
  }
  const index_t product = product_of_fixed(r);
  const bool is_all_fixed = std::find(r.fixed.begin(), r.fixed.end(), 0) == r.fixed.end();
  const bool fits = r.allow_idle ? product <= r.ranks : is_all_fixed ? product == r.ranks : r.ranks % product == 0;
  if (fits) return;
  throw usage_error(text("process_grid ", extents_in_words(r.fixed), is_all_fixed ? " makes " : " fixes ", product,
                         " tiles, ", is_all_fixed ? "but the team has " : "which does not divide the team's ", r.ranks,
                         " ranks; use ", product, " ranks, or 0 for dimensions that the library may cut",
                         product < r.ranks ? ", or allow_idle" : ""));
}

[[noreturn]] void refuse(const cut_request& r) {
  const int possible = most_that_fit(r);
  const index_t cells = cells_of(r);
  if (cells < r.ranks)
    throw usage_error(text("the team has ", r.ranks, " ranks, more than the ", cells, " cells of the grid ",
                           extents_in_words(r.extents), "; use at most ", possible, " ranks, or allow_idle"));
  throw usage_error(text(r.ranks, " ranks cannot be arranged in a process grid on ", extents_in_words(r.extents),
                         " cells with every tile holding some; use ", possible, " ranks, or allow_idle"));
}

}  // namespace

std::vector<int> choose_process_grid(const cut_request& request) {
  check_fixed(request);
  factors best = best_for(request, request.ranks);
  if (best.empty() && request.allow_idle) best = best_for(request, most_that_fit(request));
  if (best.empty()) refuse(request);
  return best;
}

std::array<int, max_dimensions> choose_node_block(const std::vector<int>& process_grid,
                                                  const std::vector<index_t>& tile_extents,
                                                  const std::vector<bool>& periodic, int node_size) {
  const auto divides = [&](std::size_t d, int f) { return process_grid[d] % f == 0; };
  const auto far_cells = [&](const factors& b) {
    double node_cells = 1, sum = 0;
    for (std::size_t d = 0; d < b.size(); ++d) node_cells *= static_cast<double>(b[d] * tile_extents[d]);
    for (std::size_t d = 0; d < b.size(); ++d) {
      const int nodes = process_grid[d] / b[d];
      const double faces = nodes == 1 ? 0 : periodic[d] ? 2 : 2.0 * (nodes - 1) / nodes;  // mean per node
      sum += faces * node_cells / static_cast<double>(b[d] * tile_extents[d]);
    }
    return sum;
  };
  const factors best = cheapest_product(node_size, process_grid.size(), divides, far_cells);
  std::array<int, max_dimensions> block{1, 1, 1, 1};
  std::copy(best.begin(), best.end(), block.begin());
  return block;
}

namespace {

struct tile_range {
  coordinates lower{}, upper{};
};

// The dimension to halve: the longest in cells among those with more than one tile; -1 if there is none.
int longest(const tile_range& r, const std::vector<index_t>& tile_extents) {
  int best = -1;
  index_t most = 0;
  for (int d = 0; d < static_cast<int>(tile_extents.size()); ++d) {
    const index_t tiles = r.upper[at(d)] - r.lower[at(d)], cells = tiles * tile_extents[at(d)];
    if (tiles > 1 && cells > most) best = d, most = cells;
  }
  return best;
}

void append_halves(const tile_range& r, const std::vector<int>& process_grid, const std::vector<index_t>& tile_extents,
                   std::vector<int>& order) {
  const int d = longest(r, tile_extents);
  if (d < 0) {
    int number = 0;
    for (std::size_t e = 0; e < process_grid.size(); ++e) number = number * process_grid[e] + r.lower[e];
    order.push_back(number);
    return;
  }
  tile_range first = r, second = r;
  first.upper[at(d)] = second.lower[at(d)] = (r.lower[at(d)] + r.upper[at(d)]) / 2;
  append_halves(first, process_grid, tile_extents, order);
  append_halves(second, process_grid, tile_extents, order);
}

}  // namespace

std::vector<int> compact_order(const std::vector<int>& process_grid, const std::vector<index_t>& tile_extents) {
  tile_range all;
  std::copy(process_grid.begin(), process_grid.end(), all.upper.begin());
  std::vector<int> order;
  append_halves(all, process_grid, tile_extents, order);
  return order;
}

}  // namespace nearfar
