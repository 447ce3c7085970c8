// SPDX-License-Identifier: BSD-3-Clause
// Maker of the leaders method.
#pragma once

#include "../transport.hpp"

namespace nearfar::exchange {

bool are_leaders_possible(const context& c);
/// Where messages are short: beyond, the copies cost more than the messages that they save.
bool are_leaders_worthwhile(const context& c);
std::unique_ptr<transport> make_leaders_transport(context& c, peers which, const std::string& method);

}  // namespace nearfar::exchange
