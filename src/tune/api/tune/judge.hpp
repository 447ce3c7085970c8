// SPDX-License-Identifier: BSD-3-Clause
// One choice for several sizes, from a race of the same candidates at each of them.
#pragma once

#include <vector>

#include "tuner.hpp"

namespace nearfar::tune {

/// What is taken for as fast as the plain method: such a multiple of its time, or so little more, which is what looking
/// at a call may cost anyway.
inline constexpr double judged_equal = 1.03, judged_equal_s = 80e-9;

/// Median of the yardstick in a race that had one. Local.
double plain_seconds(const decision& race);

/// The first race's timings, each time replaced by the plain method's own times a multiple of it: the worst of all
/// races where the candidate is slower than the plain method in any, else the geometric mean. So a candidate that wins
/// at one size and loses at another never wins here. `races`: at least one, all of the same candidates in the same
/// order, one of them the yardstick. Local.
std::vector<timing> judged_together(const std::vector<decision>& races);

}  // namespace nearfar::tune
