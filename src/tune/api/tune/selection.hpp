// SPDX-License-Identifier: BSD-3-Clause
// How all fronts choose: pinned, else the choice of an earlier plan or of the wisdom file, else a race, whose winner is
// kept.
#pragma once

#include <functional>
#include <optional>
#include <tune/tuner.hpp>
#include <tune/wisdom.hpp>

namespace nearfar::tune {

/// What was chosen, and why.
struct selection {
  std::string chosen;  ///< METHOD, NEAR+FAR, a process grid, …
  std::string how;     ///< "pinned", "as a plan before", "from wisdom", "tuned in 212 ms", or a front's own words
  double seconds = 0;  ///< median of the chosen where it was measured, else 0
  std::vector<timing> tried;  ///< of all races, in order

  bool is_raced() const noexcept { return !tried.empty(); }
  /// A line for each trial, indented by two; none where nothing was raced.
  std::string timings_in_lines() const;
  /// What describe_json() of a plan says (include/nearfar/plan_options.hpp). `plan`: the front's name.
  std::string json(const std::string& plan, const std::string& name) const;
};

/// A text with its quotes, as JSON writes it. Local.
std::string json_text(const std::string& words);

/// What the user of a front wishes, by its options and by the environment.
struct wishes {
  std::string pinned;  ///< method; empty: none
  double budget_s = 0;
};
/// `method` and `budget_s` as in plan_options. Local. @throws usage_error  as pinned_method() and budget_s() do
wishes wishes_for(const std::string& front, const std::string& method, double budget_s);

/// What a front hands in. Everything is called on all ranks or on none.
struct selection_terms {
  std::string pinned{};              ///< the same on all ranks; taken as it is
  std::function<std::string()> key;  ///< what the decision depends on besides the machine; may be collective
  bool is_kept_in_this_run = false;  ///< plans of the same key that the team makes later take this decision, too
  /// Whether a name that was kept can be had here; the same on all ranks, and may be collective.
  std::function<bool(const std::string& name)> accepts;
  std::function<decision()> race;  ///< holds the races; what it chooses is kept
};

/// Collective over the team.
selection select(const team& members, const selection_terms& terms);

/// What the wisdom file knows of `key` on this machine, if `accepts` takes it. Collective over the team.
std::optional<wisdom_entry> remembered(const team& members, const std::string& key,
                                       const std::function<bool(const std::string&)>& accepts);
/// Keeps a choice there. Collective over the team.
void remember(const team& members, const std::string& key, const wisdom_entry& chosen);

/// For `accepts`: one of these names.
std::function<bool(const std::string&)> one_of(std::vector<std::string> names);

}  // namespace nearfar::tune
