// SPDX-License-Identifier: BSD-3-Clause
// The data movers of one node by name.
#pragma once

#include <collective/algorithm.hpp>
#include <vector>

namespace nearfar::collective {

std::vector<algorithm> movers_of_one_node();

}  // namespace nearfar::collective
