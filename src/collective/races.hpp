// SPDX-License-Identifier: BSD-3-Clause
// Races the algorithms of a call against MPI's own, on separate buffers, since the caller's must not be written twice.
#pragma once

#include <collective/algorithm.hpp>
#include <collective/call.hpp>
#include <optional>
#include <tune/selection.hpp>
#include <vector>

namespace nearfar::collective {

inline constexpr const char* native_name = "mpi";
inline constexpr int least_rounds = 3;
inline constexpr double needed_gain = 0.04;  ///< over the MPI's own

/// What wisdom says of calls like this one: an algorithm's name, or `native_name`. Collective over the team.
std::optional<tune::wisdom_entry> recall(workspace& work, const call& c, const job& like);
void keep(workspace& work, const call& c, const job& like, const tune::wisdom_entry& found);

struct race_options {
  double budget_s = 0, overhead_s = 0;  ///< see engine_options
  bool on_near_memory = false;
};

struct race_result {
  tune::decision race;
  double cost_s = 0;  ///< of the race and its buffers, the most of any rank
};

/// Times the candidates, and MPI's own if wanted, with calls like this one. Nothing where buffers like the caller's
/// would not fit. Collective over the team.
std::optional<race_result> race_algorithms(workspace& work, const std::vector<const algorithm*>& candidates,
                                           bool with_native, const call& c, const job& like, const race_options& how);

}  // namespace nearfar::collective
