// SPDX-License-Identifier: BSD-3-Clause
// Default distributions: slabs if the extents allow, else pencils whose rows are near ranks.
#include <algorithm>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <cmath>
#include <numeric>
#include <topology/modelled_team.hpp>
#include <topology/team_state.hpp>
#include <tuple>

#include "route.hpp"

namespace nearfar::fft {
namespace {

/// How much more than its share the fullest of `parts` has.
double unevenness(index_t extent, index_t parts) {
  const double share = static_cast<double>(extent) / static_cast<double>(parts);
  return static_cast<double>((extent + parts - 1) / parts) / share;
}

/// Parts along two axes. The extents that either number of parts will cut, now and later, should be cut evenly; then
/// rows of the process grid, whose ranks follow each other, should be near; then it should be square.
std::vector<int> pencil_grid(const team& members, const std::vector<index_t>& first_cuts,
                             const std::vector<index_t>& second_cuts) {
  using score = std::tuple<int, int, int>;
  std::vector<int> best;
  score least{};
  for (int rows = 1; rows <= members.size(); ++rows) {
    if (members.size() % rows != 0) continue;
    const int columns = members.size() / rows;
    double uneven = 1;
    for (const index_t n : first_cuts) uneven *= unevenness(n, rows);
    for (const index_t n : second_cuts) uneven *= unevenness(n, columns);
    const int nearness = members.nodes() == 1 ? 0 : members.near_size() % columns == 0 ? 0 : 1;
    const score mine{static_cast<int>(std::lround(20 * std::log(uneven))), nearness, std::abs(rows - columns)};
    if (best.empty() || mine < least) best = {rows, columns}, least = mine;
  }
  return best;
}

/// The root's answer on all ranks: nodes may be of different sizes.
std::vector<int> agreed_grid(const team& members, const std::vector<index_t>& first_cuts,
                             const std::vector<index_t>& second_cuts) {
  if (is_modelled(members)) {
    const team root = modelled_team({members.size(), state_of(members).largest_node}, 0);
    return pencil_grid(root, first_cuts, second_cuts);
  }
  std::vector<int> grid = pencil_grid(members, first_cuts, second_cuts);
  MPI_Bcast(grid.data(), 2, MPI_INT, 0, members.comm());
  return grid;
}

/// Axes in the order in which they should be cut.
std::vector<int> cutting_order(const fft_shape& shape) {
  std::vector<int> axes(shape.extents.size());
  std::iota(axes.begin(), axes.end(), 0);
  const auto reluctance = [&](int d) {
    const fft_kind kind = shape.kinds[at(d)];
    return kind == fft_kind::none ? 0 : kind == fft_kind::r2c ? 2 : 1;
  };
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return reluctance(a) < reluctance(b); });
  return axes;
}

decomposition cut(const team& members, const std::vector<index_t>& extents, const std::vector<int>& axes,
                  const std::vector<int>& parts) {
  std::vector<int> grid(extents.size(), 1);
  std::vector<int> sorted(axes.begin(), axes.begin() + as_index(parts.size()));
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < parts.size(); ++i) grid[at(sorted[i])] = parts[i];
  return decomposition::blocks(members, extents, grid);
}

/// Everything on the first rank: for grids of one axis, which no other distribution leaves whole.
decomposition on_one_rank(const team& members, const std::vector<index_t>& extents) {
  box own{static_cast<int>(extents.size()), {}, {}};
  for (std::size_t d = 0; d < extents.size() && members.is_root(); ++d) own.upper[d] = extents[d];
  return decomposition::from_boxes(members, extents, own);
}

}  // namespace

transpose_side chosen_physical(const team& members, const fft_shape& shape, const std::vector<int>& process_grid) {
  const std::vector<index_t>& extents = shape.extents;
  const std::vector<index_t> spectral = spectral_extents(shape);
  const std::vector<int> axes = cutting_order(shape);
  if (!process_grid.empty()) return {cut(members, extents, axes, process_grid)};
  const bool is_free = shape.kinds[at(axes[0])] == fft_kind::none;
  const index_t least = is_free ? extents[at(axes[0])]
                                : std::min(*std::min_element(extents.begin(), extents.end()),
                                           *std::min_element(spectral.begin(), spectral.end()));
  if (extents.size() < 3 || least >= members.size()) return {cut(members, extents, axes, {members.size()})};
  const index_t first = extents[at(axes[0])], second = extents[at(axes[1])], last = spectral[at(axes[2])];
  return {cut(members, extents, axes, agreed_grid(members, {first, second}, {second, last}))};
}

decomposition parts_with_whole(const team& members, const std::vector<index_t>& extents, int whole,
                               const std::vector<bool>& may_stay_cut) {
  std::vector<int> axes;
  for (const bool wanted : {true, false})
    for (int d = 0; d < static_cast<int>(extents.size()); ++d)
      if (d != whole && may_stay_cut[at(d)] == wanted) axes.push_back(d);
  if (axes.empty())
    return members.size() == 1 ? decomposition::slab(members, extents, 0) : on_one_rank(members, extents);
  const bool is_slab = axes.size() == 1 || extents[at(axes[0])] >= members.size();
  if (is_slab) return cut(members, extents, axes, {members.size()});
  const std::vector<int> two{std::min(axes[0], axes[1]), std::max(axes[0], axes[1])};
  return cut(members, extents, two, agreed_grid(members, {extents[at(two[0])]}, {extents[at(two[1])]}));
}

}  // namespace nearfar::fft
