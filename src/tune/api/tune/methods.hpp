// SPDX-License-Identifier: BSD-3-Clause
// The registry of methods: fronts register theirs, NEARFAR_METHOD selects among them.
#pragma once

#include <nearfar/plan_options.hpp>
#include <string>
#include <vector>

namespace nearfar::tune {

/// Enters the methods of a front. An object of static duration in the file that knows them: libraries hold the fronts
/// that they need.
class front_methods {
 public:
  using list = std::vector<method_info> (*)(const std::string& front);
  front_methods(const char* front, list all);
};

/// What NEARFAR_METHOD says for this front, in order: the first that serves holds. Local.
/// @throws usage_error  an entry that names no front, or a method that no front of this library has
std::vector<std::string> pinned_methods(const std::string& front);
/// The first of them; empty: none.
std::string pinned_method(const std::string& front);

/// plan_options::without. `kept` is what all others are compared with. @throws usage_error  names that the front has
/// not, or that one. Local.
void check_left_out(const std::string& title, const std::string& front, const std::vector<std::string>& names,
                    const std::string& kept);
/// ", without A, B", for keys of decisions; empty: without none.
std::string left_out_in_words(const std::vector<std::string>& names);

/// Seconds that a plan may spend on tuning by its options: NEARFAR_BUDGET or 0.1 for 0, none for less. Local.
/// @throws usage_error  a budget that is not a number, or more than an hour
double budget_s(double wanted);
/// The other way round, for plans that are made inside a budget: nothing left is no_tuning.
inline double as_option(double budget_s) noexcept { return budget_s > 0 ? budget_s : no_tuning; }

}  // namespace nearfar::tune
