// SPDX-License-Identifier: BSD-3-Clause
// Maker of the methods lanes, own-lanes and own-lanes-in-parts.
#pragma once

#include "../transport.hpp"

namespace nearfar::exchange {

bool are_lanes_possible(const context& c);
bool are_own_lanes_worthwhile(const context& c);
bool are_own_lanes_cut(const context& c);
std::unique_ptr<transport> make_lanes_transport(context& c, peers which, const std::string& method);

}  // namespace nearfar::exchange
