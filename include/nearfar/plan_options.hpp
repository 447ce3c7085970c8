// SPDX-License-Identifier: BSD-3-Clause
// What every plan can be told, and the methods that there are.
#pragma once

#include <nearfar/api.hpp>
#include <string>
#include <vector>

namespace nearfar {

/// For budget_s: nothing is measured, what is known of methods and machines decides.
inline constexpr double no_tuning = -1;

/// The options of all plans begin with these five, with the same meaning and the same defaults; collective plans take
/// no others.
struct plan_options {
  std::string name{};    ///< shown in reports and errors, compared across ranks; empty: the front's or the kind's
  std::string method{};  ///< empty: NEARFAR_METHOD, or tuned; else one of methods(), or NEAR+FAR
  std::vector<std::string> without{};  ///< methods that the tuner leaves out
  double budget_s = 0;                 ///< seconds for tuning; 0: NEARFAR_BUDGET or 0.1; negative: no_tuning
  /// What the elements are, in words ("float64"), where a plan sees bytes: compared across the ranks that say it.
  /// Empty: unknown.
  std::string type_name{};
};

// describe_json() of a plan says in one format how its method was chosen, whatever the front:
//   {"plan": FRONT, "name": NAME, "chosen": METHOD, "how": TEXT, "seconds": S, "tried": [{"name": METHOD, "median_s":
//   S, "minimum_s": S, "samples": N, "dropped": BOOL}, ...]}
// how: pinned, as a plan before, from wisdom, tuned in TIME, or a front's own words; seconds: the median of what was
// chosen, 0 where it is not known; tried: of all races, in order; dropped: left the race early, far behind.

/// A named way to carry out what a front does.
struct method_info {
  /// What `method` and NEARFAR_METHOD call it, and a line of words about it.
  std::string name, description;
  bool near = true, far = true;  ///< which kind of peer it can serve
  bool is_candidate = true;      ///< tried by the tuner; others must be pinned, or are taken for what they need
};

/// The fronts: "halo", "transpose", "fft", "irregular", and "collective.KIND" for each kind of collective call.
NEARFAR_API std::vector<std::string> fronts();
/// The methods of a front, which options and NEARFAR_METHOD name. NEARFAR_METHOD is a list with commas of METHOD, for
/// every front that has it, and FRONT:METHOD; for a kind of collective call KIND:METHOD will do.
/// Local.
/// @throws usage_error  there is no such front
NEARFAR_API std::vector<method_info> methods(const std::string& front);

}  // namespace nearfar
