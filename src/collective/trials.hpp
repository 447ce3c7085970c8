// SPDX-License-Identifier: BSD-3-Clause
// Races the algorithms of a call against MPI's own, on buffers of its own: the caller's must not be written twice.
#pragma once

#include <collective/algorithm.hpp>
#include <collective/call.hpp>
#include <optional>
#include <vector>

namespace nearfar::collective {

struct verdict {
  const algorithm* chosen = nullptr;  ///< null: the MPI's own
  double chosen_s = 0, native_s = 0;  ///< medians
};

/// What wisdom says of calls like this one. Collective over the team.
std::optional<verdict> recall(rooms& room, const call& c, const job& like);

/// The fastest of the candidates for calls like this one; MPI's own unless another is clearly faster. Nothing where buffers like the
/// caller's would not fit. Collective over the team.
std::optional<verdict> race_algorithms(rooms& room, const std::vector<const algorithm*>& candidates, const call& c,
                                       const job& like, double budget_s);

}  // namespace nearfar::collective
