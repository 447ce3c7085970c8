// SPDX-License-Identifier: BSD-3-Clause
// Process grids of transforms, raced on whole transforms: the one that is chosen without measuring against slabs and
// pencils.
#include <algorithm>
#include <base/env.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <list>
#include <topology/agree.hpp>
#include <transpose/test_values.hpp>
#include <tune/methods.hpp>
#include <tune/selection.hpp>

#include "chain.hpp"
#include "engines.hpp"

namespace nearfar {
namespace fft {
namespace {

constexpr const char* chosen_unmeasured = "chosen unmeasured";

std::string name_of(const std::vector<int>& grid) {
  std::string words;
  for (const int parts : grid) words += text(words.empty() ? "" : " x ", parts);
  return grid.empty() ? chosen_unmeasured : words;
}

/// Parts of the axes that the physical side cuts; none: what a layout chooses itself. Slabs, then pencils, the squarest
/// first; those that leave ranks idle are left out where others do not.
std::vector<std::vector<int>> candidates_of(const team& members, const fft_shape& shape, int most) {
  const int ranks = members.size();
  std::vector<std::vector<int>> all{{}};
  if (shape.extents.size() < 2 || ranks == 1) return all;
  std::vector<std::vector<int>> pencils;
  for (int rows = 2; rows < ranks && shape.extents.size() > 2; ++rows)
    if (ranks % rows == 0) pencils.push_back({rows, ranks / rows});
  std::stable_sort(pencils.begin(), pencils.end(),
                   [](const auto& a, const auto& b) { return std::max(a[0], a[1]) < std::max(b[0], b[1]); });
  all.push_back({ranks});
  all.insert(all.end(), pencils.begin(), pencils.end());
  if (all.size() > as_size(most)) all.resize(as_size(most));
  return all;
}

template <class Real>
struct candidate {
  std::string name;
  fft_layout layout;
  std::unique_ptr<fft_plan<Real>> plan{};
};

/// Arrays for all fields of one side of every trial, one after the other.
class shared_fields {
 public:
  shared_fields(const std::vector<transpose_side>& sides, index_t fields, index_t element_bytes)
      : element_bytes_(as_size(element_bytes)), memory_(allocate_near(sides, fields, element_bytes_, starts_)) {
    fill_with_test_values(sides, fields, element_bytes_, starts_);
  }
  writable_transpose_arrays arrays() const { return {starts_.data(), nullptr, starts_.size(), element_bytes_}; }

 private:
  std::size_t element_bytes_;
  std::vector<void*> starts_;
  std::shared_ptr<void> memory_;
};

template <class Real>
tune::decision race_layouts(const team& members, std::list<candidate<Real>>& candidates, const fft_options& options,
                            double budget_s) {
  std::vector<transpose_side> physical, spectral;
  for (const candidate<Real>& t : candidates)
    physical.push_back(t.layout.physical()), spectral.push_back(t.layout.spectral());
  const std::vector<step>& steps = state_of(candidates.front().layout).forward;
  const shared_fields there(physical, options.fields, element_bytes(steps.front().from, sizeof(Real)));
  const shared_fields back(spectral, options.fields, element_bytes(steps.back().to, sizeof(Real)));
  std::vector<tune::candidate> all;
  for (candidate<Real>& t : candidates) {
    t.plan = std::make_unique<fft_plan<Real>>(t.layout, there.arrays(), back.arrays(), options);
    const auto both_directions = [&t, &there, &back] {
      t.plan->forward(there.arrays(), back.arrays()), t.plan->backward(back.arrays(), there.arrays());
    };
    all.push_back({t.name, both_directions, all.empty()});
  }
  const tune::decision d = tune::race(members, all, {.budget_s = budget_s, .least_rounds = 5});
  for (candidate<Real>& t : candidates) t.plan.reset();
  return d;
}

std::string key_of(const fft_shape& shape, const fft_options& options, index_t real_bytes,
                   const std::vector<std::string>& engines, int most) {
  std::string words = text("process grid of fft ", from_zero(describe(checked(shape))), ", ", options.fields,
                           " fields of ", real_bytes, "-byte reals by");
  for (const std::string& e : engines) words += " " + e;
  return text(words, ", fusion ", static_cast<int>(options.fusion), ", method '", options.method, "'",
              tune::left_out_in_words(options.without), ", best of ", most);
}

}  // namespace
}  // namespace fft

template <class Real>
tuned_fft_layout tune_fft_layout(const team& members, const fft_shape& shape, const fft_options& options,
                                 int most_timed) {
  double budget_s = 0;
  agree(members, [&] {
    if (most_timed < 1 || options.fields < 1)
      throw usage_error(text("fft: a process grid is tuned for 1 field or more, timing 1 grid or more, not for ",
                             options.fields, " and ", most_timed));
    budget_s = tune::budget_s(options.budget_s);
  });
  require_same(members, "fft: most_timed", std::vector<index_t>{most_timed});
  fft_layout plain(members, shape);  // checks the shape on every rank
  const std::vector<std::string> engines = fft::wanted_engines(members, options, false);
  const auto grids = fft::candidates_of(members, plain.shape(), most_timed);
  if (grids.size() == 1) return {plain, {}, 0, "  only one process grid is possible\n"};
  std::vector<std::string> names;
  for (const auto& grid : grids) names.push_back(fft::name_of(grid));
  const auto layout_of = [&](const std::vector<int>& grid) {
    return grid.empty() ? plain : fft_layout(members, shape, {.process_grid = grid});
  };
  const auto race = [&] {
    std::list<fft::candidate<Real>> candidates;
    for (const auto& grid : grids) candidates.push_back({fft::name_of(grid), layout_of(grid)});
    return fft::race_layouts(members, candidates, options, budget_s);
  };
  const auto key = [&] { return fft::key_of(plain.shape(), options, sizeof(Real), engines, most_timed); };
  const tune::selection s = tune::select(members, {.key = key, .accepts = tune::one_of(names), .race = race});
  std::string report = s.is_raced() ? "" : text("  ", s.chosen, " from wisdom\n");
  for (const tune::timing& t : s.tried) report += text("  ", t.name, ": ", readable_time(t.median_s), "\n");
  const auto& grid = grids[as_size(std::find(names.begin(), names.end(), s.chosen) - names.begin())];
  return {layout_of(grid), grid, s.seconds, report};
}
template NEARFAR_API tuned_fft_layout tune_fft_layout<float>(const team&, const fft_shape&, const fft_options&, int);
template NEARFAR_API tuned_fft_layout tune_fft_layout<double>(const team&, const fft_shape&, const fft_options&, int);

}  // namespace nearfar
