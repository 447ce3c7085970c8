// SPDX-License-Identifier: BSD-3-Clause
// What the program prints at the end.
#pragma once

#include <solver/simulation.hpp>
#include <string>

namespace adaptive_heat {

/// In the words of the NAS parallel benchmarks, and what they do not have below. Local.
std::string report(const problem& what, int ranks, const run_result& result);

}  // namespace adaptive_heat
