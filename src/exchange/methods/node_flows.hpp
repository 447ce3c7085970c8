// SPDX-License-Identifier: BSD-3-Clause
// The flows of all ranks of a node, known to all of them.
#pragma once

#include <vector>

#include "../transport.hpp"
#include "channel_table.hpp"

namespace nearfar::exchange {

/// The flows of all near ranks whose peers are `which`. Collective over the node.
std::vector<far_flow> flows_of_node(context& c, peers which);

}  // namespace nearfar::exchange
