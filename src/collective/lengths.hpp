// SPDX-License-Identifier: BSD-3-Clause
// Races for kinds whose calls share one choice for all lengths, since no rank knows the lengths of others.
#pragma once

#include "races.hpp"

namespace nearfar::collective {

/// Like race_algorithms, but held at the caller's lengths and again with its lists stretched to short, middle and long
/// blocks; the times are those of `tune::judged_together`. The longest are left out where they would take milliseconds.
/// Collective over the team.
std::optional<race_result> race_over_lengths(workspace& work, const std::vector<const algorithm*>& candidates,
                                             const call& c, const job& like, const race_options& how);

}  // namespace nearfar::collective
