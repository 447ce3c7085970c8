// SPDX-License-Identifier: BSD-3-Clause
// Choices of the program's own that only measuring can make: sizes of blocks, orders of loops, ways to compute.
#pragma once

#include <cstddef>
#include <nearfar/team.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace nearfar {

/// How tune_choice() measures.
struct choice_options {
  double budget_s = 0;  ///< as in plan_options; with none the first is taken
  int least_rounds =
      3;  ///< of all alternatives, even where they do not fit into the budget, up to four times the budget
};

/// What a race has shown; the same on every rank.
struct tuned_choice {
  std::size_t chosen = 0;       ///< which of the alternatives
  double seconds = 0;           ///< median of one run; 0 where nothing was measured
  bool is_from_wisdom = false;  ///< whether the wisdom file had the answer, so that nothing was measured now
};

/// Races the alternatives as the library races its methods, and remembers the winner as wisdom. The first stays unless
/// another one is faster by 3 %. Collective over the team, the same arguments on all ranks.
/// @param what  what is chosen and all that the times depend on: with the names and the machine the key of the wisdom
/// @param names  of the alternatives, each another one
/// @param run  carries out one operation by the alternative of that number; on all ranks, and throws on all or on none
/// @throws usage_error  on every rank: no alternatives, names that are the same, other arguments on other ranks
/// @cost  as often as fits into the budget; with wisdom two broadcasts
template <class Run>
tuned_choice tune_choice(const team& members, const std::string& what, const std::vector<std::string>& names, Run&& run,
                         const choice_options& options = {});

namespace detail {
/// `run` gets `with` and the number of an alternative.
NEARFAR_API tuned_choice tune_choice(const team& members, const std::string& what,
                                     const std::vector<std::string>& names, void (*run)(void* with, std::size_t which),
                                     void* with, const choice_options& options);
}  // namespace detail

/// @cond
template <class Run>
tuned_choice tune_choice(const team& members, const std::string& what, const std::vector<std::string>& names, Run&& run,
                         const choice_options& options) {
  const auto call = [](void* with, std::size_t which) { (*static_cast<std::remove_reference_t<Run>*>(with))(which); };
  auto& runs = run;  // also of a temporary
  return detail::tune_choice(members, what, names, call, const_cast<void*>(static_cast<const void*>(&runs)), options);
}
/// @endcond

}  // namespace nearfar
