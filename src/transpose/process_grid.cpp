// SPDX-License-Identifier: BSD-3-Clause
// Lists process grids, weighs them by the bytes that they send near and far, and times the best on the program's own
// transpositions.
#include <algorithm>
#include <base/axis_names.hpp>
#include <base/env.hpp>
#include <base/text.hpp>
#include <iterator>
#include <list>
#include <nearfar/process_grid.hpp>
#include <numeric>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <transpose/decomposition.hpp>
#include <transpose/test_values.hpp>
#include <tune/methods.hpp>
#include <tune/selection.hpp>
#include <tune/tuner.hpp>

#include "grid_candidates.hpp"

namespace nearfar {

namespace {

std::vector<int> axes_of(const process_grid_options& options, std::size_t axes) {
  if (!options.whole_axes.empty()) return options.whole_axes;
  std::vector<int> all(axes);
  std::iota(all.rbegin(), all.rend(), 0);
  return all;
}

void check(const std::vector<index_t>& extents, const process_grid_options& o) {
  if (extents.size() < 2 || extents.size() > at(max_dimensions))
    throw usage_error(text("a process grid is tuned for 2 to ", max_dimensions, " axes, not ", extents.size()));
  for (const int a : o.whole_axes)
    if (a < 0 || at(a) >= extents.size())
      throw usage_error(text("whole axis ", axis_number(a, as_index(extents.size())), " does not exist; axes are ",
                             axis_range(as_index(extents.size()))));
  if (o.element_bytes < 1 || o.fields < 1 || o.most_timed < 1)
    throw usage_error(
        text("a process grid is tuned for elements of 1 byte or more, for 1 field or more, and timing 1 "
             "grid or more, not for ",
             o.element_bytes, ", ", o.fields, " and ", o.most_timed));
}

void check_alike(const team& members, const process_grid_options& o) {
  std::vector<index_t> numbers{as_index(o.element_bytes), o.fields, o.is_permuted ? 1 : 0, o.most_timed};
  numbers.insert(numbers.end(), o.whole_axes.begin(), o.whole_axes.end());
  require_same(members, "element bytes, fields, permuted, most_timed and whole axes of a process grid", numbers);
}

/// The pencils of one grid, and what its moves weigh.
struct candidate_grid {
  process_grid grid;
  std::vector<transpose_side> sides;
  grid_load load;
  double seconds = 0;
  std::vector<transpose_plan> plans{};  ///< there, then back
};

candidate_grid make_candidate(const team& members, const std::vector<index_t>& extents, const process_grid_options& o,
                              const process_grid& grid) {
  candidate_grid t{grid, {}, {}, 0};
  for (const int whole : axes_of(o, extents.size())) {
    std::vector<int> order;
    for (int d = 0; o.is_permuted && at(d) < extents.size(); ++d)
      if (d != whole) order.push_back(d);
    if (o.is_permuted) order.push_back(whole);
    t.sides.push_back({decomposition::pencil(members, extents, whole, grid.parts, grid.order), order});
  }
  t.load = busiest_load(members, t.sides, as_index(o.element_bytes) * o.fields);
  return t;
}

using near_array = std::vector<void*>;

void make_plans(candidate_grid& t, const near_array& a, const near_array& b, const process_grid_options& o) {
  const transpose_options options{.name = name_of(t.grid), .budget_s = o.budget_s, .fields = o.fields};
  const near_array* from = &a;
  const near_array* to = &b;
  const auto add = [&](const transpose_side& x, const transpose_side& y) {
    t.plans.emplace_back(x, y, transpose_arrays(from->data(), nullptr, from->size(), o.element_bytes),
                         writable_transpose_arrays(to->data(), nullptr, to->size(), o.element_bytes), options);
    std::swap(from, to);
  };
  for (std::size_t i = 0; i + 1 < t.sides.size(); ++i) add(t.sides[i], t.sides[i + 1]);
  for (std::size_t i = t.sides.size(); i-- > 1;) add(t.sides[i], t.sides[i - 1]);
}

tune::decision time_all(const team& members, std::list<candidate_grid>& candidates, const process_grid_options& o,
                        double budget_s) {
  std::vector<transpose_side> sides;
  for (const candidate_grid& t : candidates) sides.insert(sides.end(), t.sides.begin(), t.sides.end());
  near_array a, b;
  const auto first = allocate_near(sides, o.fields, o.element_bytes, a);
  const auto second = allocate_near(sides, o.fields, o.element_bytes, b);
  for (const near_array* all : {&a, &b}) fill_with_test_values(sides, o.fields, o.element_bytes, *all);
  std::vector<tune::candidate> all;
  for (candidate_grid& t : candidates) {
    make_plans(t, a, b, o);
    all.push_back({name_of(t.grid),
                   [&t] {
                     for (transpose_plan& p : t.plans) p.run();
                   },
                   all.empty()});
  }
  const tune::decision d = tune::race(members, all, {.budget_s = budget_s, .least_rounds = 5});
  for (candidate_grid& t : candidates) t.plans.clear();
  return d;
}

std::string line_of(const candidate_grid& t) {
  return text("  ", name_of(t.grid), ": ", readable_bytes(t.load.far_bytes), " to far ranks in ", t.load.far_messages,
              " messages, ", readable_bytes(t.load.near_bytes), " to near ones",
              t.seconds > 0 ? text(", takes ", readable_time(t.seconds)) : "", "\n");
}

/// The square grid first, then those that the model likes best, `most` in all.
std::list<candidate_grid> best_of(std::list<candidate_grid> all, std::size_t most) {
  const auto square = std::next(all.begin());
  std::list<candidate_grid> kept;
  kept.splice(kept.end(), all, all.begin(), square);
  all.sort([](const candidate_grid& a, const candidate_grid& b) { return a.load.seconds() < b.load.seconds(); });
  while (!all.empty() && kept.size() < std::max(most, std::size_t{2})) kept.splice(kept.end(), all, all.begin());
  return kept;
}

std::string key_of(const std::vector<index_t>& extents, const process_grid_options& o) {
  std::string axes;
  for (const int a : axes_of(o, extents.size())) axes += text(" ", a);
  return text("process grid of ", from_zero(extents_in_words(extents)), ", ", o.fields, " x ", o.element_bytes,
              " bytes, pencils", axes, o.is_permuted ? " permuted" : "", ", best of ", o.most_timed);
}

}  // namespace

tuned_process_grid tune_process_grid(const team& members, const std::vector<index_t>& extents,
                                     const process_grid_options& o) {
  double budget_s = 0;
  agree(members, [&] {
    check(extents, o);
    budget_s = tune::budget_s(o.budget_s);
  });
  check_alike(members, o);
  require_same(members, "the extents of a process grid", extents);
  const auto grids = grid_candidates(members.size(), extents.size() - 1, members.nodes() > 1);
  if (grids.size() == 1) return {grids.front(), 0, "  only " + name_of(grids.front()) + " is possible\n"};
  std::vector<std::string> names;
  for (const process_grid& g : grids) names.push_back(name_of(g));
  tuned_process_grid best;
  const auto race = [&] {
    std::list<candidate_grid> all;
    for (const process_grid& g : grids) all.push_back(make_candidate(members, extents, o, g));
    std::list<candidate_grid> timed = best_of(std::move(all), as_size(o.most_timed));
    tune::decision d = time_all(members, timed, o, budget_s);
    std::size_t i = 0;
    for (candidate_grid& t : timed) t.seconds = d.tried[i++].median_s, best.report += line_of(t);
    return d;
  };
  const tune::selection s =
      tune::select(members, {.key = [&] { return key_of(extents, o); }, .accepts = tune::one_of(names), .race = race});
  best.grid = grids[as_size(std::find(names.begin(), names.end(), s.chosen) - names.begin())], best.seconds = s.seconds;
  if (!s.is_raced()) best.report = "  " + s.chosen + " from wisdom\n";
  return best;
}

}  // namespace nearfar
