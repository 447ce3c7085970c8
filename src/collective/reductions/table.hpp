// SPDX-License-Identifier: BSD-3-Clause
// The reductions of one node by name.
#pragma once

#include <collective/algorithm.hpp>
#include <vector>

namespace nearfar::collective {

std::vector<algorithm> reductions_of_one_node();

}  // namespace nearfar::collective
