// SPDX-License-Identifier: BSD-3-Clause
// Finds the route: transform what is whole, move so that the next axis becomes whole, until none is left.
#include "route.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <numeric>

namespace nearfar::fft {
namespace {

constexpr index_t cells_in_cache = 32768;  // of a rank: all axes of as few are transformed in one go

/// The same distribution with other extents along axes that are whole.
decomposition with_extents(const decomposition& parts, const std::vector<index_t>& extents) {
  const team& members = parts.team();
  if (!parts.process_grid().empty())
    return decomposition::blocks(members, extents, parts.process_grid(), parts.order());
  box own = parts.own();
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (!own.is_empty() && extents[d] != parts.extents()[d]) own.upper[d] = extents[d];
  own.dimensions = static_cast<int>(extents.size());
  return decomposition::from_boxes(members, extents, own);
}

class router {
 public:
  router(const fft_shape& shape, const transpose_side& physical, const std::optional<transpose_side>& spectral)
      : shape_(shape), goal_(spectral), here_{physical, is_physical_complex(shape)} {
    for (int d = 0; d < axes(); ++d)
      if (shape_.kinds[at(d)] != fft_kind::none) left_.push_back(d);
  }

  std::vector<step> find() {
    transform_whole_ones();
    while (!left_.empty()) {
      move_to(next_side());
      transform_whole_ones();
    }
    if (goal_ && !are_same_parts(here_.side.parts, goal_->parts)) move_to(*goal_);
    if (route_.empty()) move_to(goal_ ? *goal_ : transpose_side{here_.side.parts, order_of(here_.side)});
    if (goal_) route_.back().to.side = *goal_;
    return std::move(route_);
  }

 private:
  int axes() const { return static_cast<int>(shape_.extents.size()); }
  bool is_left(fft_kind kind) const {
    return std::any_of(left_.begin(), left_.end(), [&](int d) { return shape_.kinds[at(d)] == kind; });
  }

  /// The axes that can be transformed now, fastest in memory first, but r2c before all.
  std::vector<int> ready() const {
    const std::vector<bool> is_whole = whole_axes(here_.side.parts);
    const std::vector<int> order = order_of(here_.side);
    std::vector<int> now;
    for (std::size_t i = order.size(); i-- > 0;)
      if (is_whole[at(order[i])] && std::find(left_.begin(), left_.end(), order[i]) != left_.end())
        now.push_back(order[i]);
    const auto real = std::find_if(now.begin(), now.end(), [&](int d) { return shape_.kinds[at(d)] == fft_kind::r2c; });
    if (real != now.end())
      std::rotate(now.begin(), real, real + 1);
    else if (is_left(fft_kind::r2c))
      std::erase_if(now, [&](int d) { return shape_.kinds[at(d)] == fft_kind::c2c; });
    return now;
  }

  /// The slowest axis in memory gets a step of its own where there are others: these then go plane by plane, in the
  /// cache.
  void transform_whole_ones() {
    const int slowest = order_of(here_.side).front();
    index_t cells = 1;
    for (const index_t n : here_.side.parts.extents()) cells *= n;
    const bool is_small = axes() < 3 || cells / here_.side.parts.team().size() <= cells_in_cache;
    std::vector<int> together;
    for (const int d : ready()) {
      if (d == slowest && !is_small && !together.empty()) transform(std::exchange(together, {}));
      together.push_back(d);
      if (d == slowest && !is_small) transform(std::exchange(together, {}));
    }
    if (!together.empty()) transform(std::move(together));
  }

  void transform(std::vector<int> along) {
    std::vector<index_t> extents = here_.side.parts.extents();
    resting after{here_.side, here_.is_complex};
    for (const int d : along) {
      const axis_facts f = facts_of(shape_, d);
      extents[at(d)] = f.entries;
      after.is_complex = after.is_complex || f.kind == fft_kind::r2c;
      std::erase(left_, d);
    }
    after.side = {with_extents(here_.side.parts, extents), order_of(here_.side)};
    route_.push_back({here_, after, std::move(along)});
    here_ = after;
  }

  void move_to(const transpose_side& there) {
    const resting after{there, here_.is_complex};
    route_.push_back({here_, after});
    here_ = after;
  }

  /// r2c first; else the last axis.
  int next_axis() const {
    const auto real =
        std::find_if(left_.begin(), left_.end(), [&](int d) { return shape_.kinds[at(d)] == fft_kind::r2c; });
    return real != left_.end() ? *real : left_.back();
  }

  /// All that is left can be done where the elements are to end up.
  bool does_goal_serve() const {
    if (!goal_) return false;
    const std::vector<bool> is_whole = whole_axes(goal_->parts);
    for (int d = 0; d < axes(); ++d)
      if (!is_whole[at(d)] && goal_->parts.extents()[at(d)] != here_.side.parts.extents()[at(d)]) return false;
    return std::all_of(left_.begin(), left_.end(), [&](int d) { return is_whole[at(d)]; });
  }

  transpose_side next_side() const {
    if (does_goal_serve()) return {with_extents(goal_->parts, here_.side.parts.extents()), order_of(*goal_)};
    const int axis = next_axis();
    return {next_parts(axis), next_order(axis)};
  }

  /// The axis that becomes whole lies beside the fastest one: lines of it are strided and planes of it are compact,
  /// while runs along the fastest axis stay as long as they are.
  std::vector<int> next_order(int axis) const {
    std::vector<int> order = order_of(here_.side);
    if (order.back() == axis) return order;
    std::erase(order, axis);
    order.insert(order.end() - 1, axis);
    return order;
  }

  /// The ranks along `axis` are put along another one that is whole, if possible a transformed one, so that the others
  /// need not move.
  decomposition next_parts(int axis) const {
    const decomposition& now = here_.side.parts;
    std::vector<int> grid = now.process_grid();
    const int other = grid.empty() ? -1 : axis_to_cut(axis, grid);
    std::vector<bool> is_done(at(axes()), true);
    for (const int d : left_) is_done[at(d)] = false;
    if (other < 0) return parts_with_whole(now.team(), now.extents(), axis, is_done);
    std::swap(grid[at(axis)], grid[at(other)]);
    return decomposition::blocks(now.team(), now.extents(), grid, now.order());
  }

  int axis_to_cut(int axis, const std::vector<int>& grid) const {
    int best = -1, least = 0;
    for (int d = 0; d < axes(); ++d) {
      if (d == axis || grid[at(d)] > 1) continue;
      const bool is_waiting = std::find(left_.begin(), left_.end(), d) != left_.end();
      const bool is_short = here_.side.parts.extents()[at(d)] < grid[at(axis)];
      const int distance = d > axis ? d - axis : axis - d + axes();
      const int cost = 100 * is_waiting + 10 * is_short + distance;
      if (best < 0 || cost < least) best = d, least = cost;
    }
    return best;
  }

  const fft_shape& shape_;
  std::optional<transpose_side> goal_;
  resting here_;
  std::vector<int> left_;
  std::vector<step> route_;
};

}  // namespace

bool are_same_parts(const decomposition& a, const decomposition& b) {
  if (&state_of(a) == &state_of(b)) return true;
  if (a.extents() != b.extents()) return false;
  if (!a.process_grid().empty() && a.process_grid() == b.process_grid() && a.order() == b.order()) return true;
  for (int r = 0; r < a.team().size(); ++r)
    if (!(a.of(r) == b.of(r))) return false;
  return true;
}

std::vector<int> order_of(const transpose_side& side) {
  std::vector<int> order = side.memory_order;
  if (!order.empty()) return order;
  order.resize(at(side.parts.dimensions()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

ghosts row_padding(const transpose_side& side, index_t unit) {
  constexpr index_t shortest_row = 8;  // units: at most an eighth more memory
  const int fastest = order_of(side).back();
  const index_t row = side.parts.own().extent(fastest);
  ghosts widths;
  if (row >= shortest_row * unit) widths.set(fastest, 0, static_cast<int>((unit - row % unit) % unit));
  return widths;
}

std::vector<bool> whole_axes(const decomposition& parts) {
  const std::vector<index_t>& extents = parts.extents();
  std::vector<bool> is_whole(extents.size(), true);
  const std::vector<int>& grid = parts.process_grid();
  if (!grid.empty()) {
    for (std::size_t d = 0; d < extents.size(); ++d) is_whole[d] = grid[d] == 1;
    return is_whole;
  }
  for (int r = 0; r < parts.team().size(); ++r) {
    const box b = parts.of(r);
    for (std::size_t d = 0; d < extents.size() && !b.is_empty(); ++d)
      if (b.extent(static_cast<int>(d)) != extents[d]) is_whole[d] = false;
  }
  return is_whole;
}

std::vector<step> find_route(const fft_shape& shape, const transpose_side& physical,
                             const std::optional<transpose_side>& spectral) {
  return router(shape, physical, spectral).find();
}

std::vector<step> reversed(const std::vector<step>& forward) {
  std::vector<step> back;
  for (std::size_t i = forward.size(); i-- > 0;) {
    const step& s = forward[i];
    back.push_back({s.to, s.from, {s.axes.rbegin(), s.axes.rend()}});
  }
  return back;
}

}  // namespace nearfar::fft
