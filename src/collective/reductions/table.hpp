// SPDX-License-Identifier: BSD-3-Clause
// The reductions of one node, and those that keep the order of ranks anywhere, by name.
#pragma once

#include <collective/algorithm.hpp>
#include <vector>

namespace nearfar::collective {

std::vector<algorithm> reductions_of_one_node();

/// For any team: what reproducible reductions take where nothing better keeps the order of ranks.
std::vector<algorithm> reductions_in_order();

}  // namespace nearfar::collective
