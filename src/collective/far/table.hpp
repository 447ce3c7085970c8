// SPDX-License-Identifier: BSD-3-Clause
// The algorithms for teams on several nodes by name.
#pragma once

#include <collective/algorithm.hpp>
#include <vector>

namespace nearfar::collective {

std::vector<algorithm> between_nodes();

}  // namespace nearfar::collective
