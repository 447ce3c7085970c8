// SPDX-License-Identifier: BSD-3-Clause
// Decompositions: blocks per axis, computed; boxes per rank, gathered and checked.
#include <base/internals.hpp>
#include <transpose/decomposition.hpp>

#include <algorithm>
#include <base/axis_names.hpp>
#include <base/even_blocks.hpp>
#include <base/text.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <transpose/side.hpp>

namespace nearfar {

namespace {

void check_extents(const std::vector<index_t>& extents) {
  if (extents.empty() || extents.size() > at(max_dimensions))
    throw usage_error(text("a decomposition has 1 to ", max_dimensions, " axes, not ", extents.size()));
  index_t elements = 1;
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (extents[d] < 1 || __builtin_mul_overflow(elements, extents[d], &elements))
      throw usage_error(text("axis ", axis_number(as_index(d), as_index(extents.size())), " of the grid ",
                             extents_in_words(extents),
                             " has an extent that cannot be: 1 or more, and fewer than 2^63 elements in all"));
}

void check_axis(int axis, std::size_t axes, const char* what) {
  if (axis < 0 || at(axis) >= axes)
    throw usage_error(
        text(what, " axis is ", axis_number(axis, as_index(axes)), "; axes are ", axis_range(as_index(axes))));
}

void check_process_grid(const std::vector<index_t>& extents, const std::vector<int>& grid, int ranks) {
  const std::string listed = extents_in_words(grid);
  if (grid.size() != extents.size())
    throw usage_error(
        text("the process grid ", listed, " has ", grid.size(), " numbers; the grid has ", extents.size(), " axes"));
  index_t product = 1;
  for (const int parts : grid) product = parts < 1 ? 0 : std::min<index_t>(product * parts, index_t{1} << 31);
  if (product != ranks)
    throw usage_error(text("the process grid ", listed, " does not multiply to the ", ranks, " ranks of the team"));
}

void require_same_arguments(const nearfar::team& members, const std::vector<index_t>& extents,
                            const std::vector<int>& grid, rank_order order = rank_order::last_axis_first) {
  require_same(members, {{"the extents of a decomposition", extents, true},
                         {"the order of ranks of a decomposition (1: slowest axis first)",
                          {order == rank_order::first_axis_first ? 1 : 0}},
                         {"the process grid of a decomposition", {grid.begin(), grid.end()}, true}});
}

/// The grid of a pencil with all its axes.
std::vector<int> pencil_grid(const std::vector<index_t>& extents, int whole_axis, std::vector<int> others, int ranks) {
  check_extents(extents);
  check_axis(whole_axis, extents.size(), "a pencil's whole");
  if (others.empty()) others = square_grid(ranks, extents.size() - 1);
  if (others.size() + 1 != extents.size())
    throw usage_error(text("a pencil's process grid has ", others.size(), " numbers; the grid has ", extents.size() - 1,
                           " axes besides the whole one"));
  others.insert(others.begin() + whole_axis, 1);
  return others;
}

index_t hash_of(const std::vector<box>& boxes) {
  hash64 all;
  for (const box& b : boxes)
    for (const auto* bounds : {&b.lower, &b.upper})
      for (const index_t i : *bounds) all.add(i);
  return static_cast<index_t>(all.value());
}

std::vector<box> gathered(const nearfar::team& members, const box& own) {
  constexpr std::size_t numbers = 2 * max_dimensions;
  std::vector<index_t> mine(own.lower.begin(), own.lower.end()), all(numbers * as_size(members.size()));
  mine.insert(mine.end(), own.upper.begin(), own.upper.end());
  watched_mpi("MPI_Allgather", [&] {
    return MPI_Allgather(mine.data(), numbers, MPI_INT64_T, all.data(), numbers, MPI_INT64_T, members.comm());
  });
  std::vector<box> boxes(as_size(members.size()), box{own.dimensions, {}, {}});
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    std::copy_n(all.begin() + as_index(r * numbers), max_dimensions, boxes[r].lower.begin());
    std::copy_n(all.begin() + as_index(r * numbers) + max_dimensions, max_dimensions, boxes[r].upper.begin());
    if (boxes[r].is_empty()) boxes[r] = {own.dimensions, {}, {}};
  }
  return boxes;
}

}  // namespace

namespace {

/// Falling factors of `ranks`, none above `most`; empty if there are none.
std::vector<int> falling_factors(int ranks, std::size_t axes, int most) {
  if (axes == 1) return ranks <= most ? std::vector<int>{ranks} : std::vector<int>{};
  for (int first = 1; first <= std::min(ranks, most); ++first) {
    if (ranks % first != 0) continue;
    std::vector<int> rest = falling_factors(ranks / first, axes - 1, first);
    if (rest.empty()) continue;
    rest.insert(rest.begin(), first);
    return rest;
  }
  return {};
}

}  // namespace

// Not MPI_Dims_create: MPIs differ, and plans of modelled machines are made where no MPI was initialised.
std::vector<int> square_grid(int ranks, std::size_t axes) {
  return axes == 0 ? std::vector<int>{} : falling_factors(ranks, axes, ranks);
}

void add_shared_values(const std::string& what, const decomposition& parts, std::vector<shared_values>& to) {
  const decomposition_state& s = state_of(parts);
  to.push_back({"extents of " + what, s.extents, true});
  to.push_back({"the process grid of " + what, {s.process_grid.begin(), s.process_grid.end()}, true});
  to.push_back({"the order of ranks (1: slowest axis first), boxes (their hash) of " + what,
                {s.order == rank_order::first_axis_first ? 1 : 0, hash_of(s.boxes)}});
}

box decomposition_state::of(int rank) const {
  if (process_grid.empty()) return boxes.at(at(rank));
  box b{static_cast<int>(extents.size()), {}, {}};
  for (std::size_t faster = 0; faster < extents.size(); ++faster) {
    const std::size_t d = axis_of(faster);
    const int i = rank % process_grid[d];
    rank /= process_grid[d];
    const even_blocks cut{extents[d], process_grid[d]};
    b.lower[d] = cut.first(i);
    b.upper[d] = cut.first(i + 1);
  }
  return b.is_empty() ? box{b.dimensions, {}, {}} : b;
}

std::vector<share_of_box> decomposition_state::parts_of(const box& wanted) const {
  std::vector<share_of_box> parts;
  if (wanted.is_empty()) return parts;
  const auto add = [&](int rank) {
    const box part = intersection(of(rank), wanted);
    if (!part.is_empty()) parts.push_back({rank, part});
  };
  if (process_grid.empty()) {
    for (int r = 0; r < members.size(); ++r) add(r);
    return parts;
  }
  std::vector<int> ranks{0};
  for (std::size_t faster = extents.size(); faster-- > 0;) {
    const std::size_t d = axis_of(faster);
    std::vector<int> longer;
    const even_blocks cut{extents[d], process_grid[d]};
    const int last = cut.owner(wanted.upper[d] - 1);
    for (const int r : ranks)
      for (int i = cut.owner(wanted.lower[d]); i <= last; ++i) longer.push_back(r * process_grid[d] + i);
    ranks = std::move(longer);
  }
  for (const int r : ranks) add(r);
  return parts;
}

decomposition decomposition::blocks(const nearfar::team& members, std::vector<index_t> extents,
                                    std::vector<int> process_grid, rank_order order) {
  agree(members, [&] {
    check_extents(extents);
    check_process_grid(extents, process_grid, members.size());
  });
  require_same_arguments(members, extents, process_grid, order);
  auto state = std::make_shared<decomposition_state>(
      decomposition_state{{std::move(extents)}, members, std::move(process_grid), {}, order});
  state->own = state->of(members.rank());
  return decomposition(std::move(state));
}

decomposition decomposition::slab(const nearfar::team& members, std::vector<index_t> extents, int cut_axis) {
  std::vector<int> grid(extents.size(), 1);
  agree(members, [&] {
    check_extents(extents);
    check_axis(cut_axis, extents.size(), "a slab's cut");
    grid[at(cut_axis)] = members.size();
  });
  return blocks(members, std::move(extents), std::move(grid));
}

decomposition decomposition::pencil(const nearfar::team& members, std::vector<index_t> extents, int whole_axis,
                                    std::vector<int> process_grid, rank_order order) {
  std::vector<int> grid;
  agree(members, [&] { grid = pencil_grid(extents, whole_axis, std::move(process_grid), members.size()); });
  return blocks(members, std::move(extents), std::move(grid), order);
}

decomposition decomposition::from_boxes(const nearfar::team& members, std::vector<index_t> extents, const box& own) {
  agree(members, [&] {
    check_extents(extents);
    if (own.dimensions != static_cast<int>(extents.size()))
      throw usage_error(
          text("rank ", members.rank(), " gives a box of ", own.dimensions, " axes; the grid has ", extents.size()));
  });
  require_same_arguments(members, extents, {});
  std::vector<box> boxes = gathered(members, own);
  auto state = std::make_shared<decomposition_state>(
      decomposition_state{{std::move(extents)}, members, {}, std::move(boxes), rank_order::last_axis_first});
  agree(members, [&] { check_cover(state->extents, state->boxes); });
  state->own = state->of(members.rank());
  return decomposition(std::move(state));
}

decomposition::decomposition(std::shared_ptr<const decomposition_state> state) noexcept
    : state_(std::move(state)), cells_(state_.get()) {}

const nearfar::team& decomposition::team() const noexcept { return state_->members; }
const std::vector<int>& decomposition::process_grid() const noexcept { return state_->process_grid; }
rank_order decomposition::order() const noexcept { return state_->order; }

box decomposition::of(int rank) const {
  if (rank < 0 || rank >= team().size())
    throw usage_error(text("there is no rank ", rank, "; ranks are 0 to ", team().size() - 1));
  return state_->of(rank);
}

std::string decomposition::describe() const { return from_zero(description_of(*this)); }

std::string description_of(const decomposition& parts) {
  const auto& grid = parts.process_grid();
  return text(extents_in_words(parts.extents()), " in ",
              grid.empty() ? "boxes given by ranks"
                           : text("blocks of ", extents_in_words(grid), " ranks",
                                  parts.order() == rank_order::first_axis_first
                                      ? text(" numbered along axis ", axis_number(0, as_index(grid.size())), " first")
                                      : ""));
}

}  // namespace nearfar
