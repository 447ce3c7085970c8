// SPDX-License-Identifier: BSD-3-Clause
// The algorithms of one node that move data, by name.
#pragma once

#include <collective/algorithm.hpp>
#include <vector>

namespace nearfar::collective {

std::vector<algorithm> data_movement_of_one_node();

}  // namespace nearfar::collective
