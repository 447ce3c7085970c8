// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <base/env.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <nearfar/choice.hpp>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>
#include <tune/methods.hpp>
#include <tune/selection.hpp>

namespace nearfar {

namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
  return list;
}

void check(const std::string& what, const std::vector<std::string>& names) {
  if (names.empty()) throw usage_error(text("choice \"", what, "\" has no alternatives"));
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw usage_error(text("choice \"", what, "\" has two alternatives '", *twice, "'"));
}

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

tuned_choice detail::tune_choice(const team& members, const std::string& what, const std::vector<std::string>& names,
                                 void (*run)(void* with, std::size_t which), void* with,
                                 const choice_options& options) {
  double budget_s = 0;
  agree(members, [&] {
    check(what, names);
    budget_s = tune::budget_s(options.budget_s);
  });
  const std::string key = text("choice of ", what, ": ", listed(names));
  if (names.size() == 1) return {};
  if (!everywhere(state_of(members), budget_s > 0)) {
    const auto known = tune::remembered(members, key, tune::one_of(names));
    return known ? tuned_choice{place_of(names, known->method), known->seconds, true} : tuned_choice{};
  }
  const auto race = [&] {
    std::vector<tune::candidate> all;
    for (std::size_t n = 0; n < names.size(); ++n) all.push_back({names[n], [=] { run(with, n); }, n == 0});
    return tune::race(members, all, {.budget_s = budget_s, .least_rounds = std::max(1, options.least_rounds)});
  };
  const tune::selection s =
      tune::select(members, {.key = [&] { return key; }, .accepts = tune::one_of(names), .race = race});
  return {place_of(names, s.chosen), s.seconds, !s.is_raced()};
}

}  // namespace nearfar
