// SPDX-License-Identifier: BSD-3-Clause
// Neighbours tell each other things when a plan is made.
#pragma once

#include <cstddef>
#include <nearfar/team.hpp>
#include <vector>

namespace nearfar::far {

/// Sends out[i] to peers[i] and returns what peers[i] sent. Every pair must name each other; peers are team ranks without this
/// one, without repetition. Collective over the neighbourhoods.
std::vector<std::vector<std::byte>> talk(const team& members, const std::vector<int>& peers,
                                         const std::vector<std::vector<std::byte>>& out);

}  // namespace nearfar::far
