// SPDX-License-Identifier: BSD-3-Clause
// What a problem of the user's own is silently other than asked in: said before the run.
#pragma once

#include <base/problem.hpp>
#include <string>
#include <vector>

namespace adaptive_heat {

/// Balls that are smaller than the points resolve, and sources that leave the cube; none of the benchmark's classes.
/// Local.
std::vector<std::string> notes_on(const problem& p);

}  // namespace adaptive_heat
