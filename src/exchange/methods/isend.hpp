// SPDX-License-Identifier: BSD-3-Clause
// Makers of the plain message-passing methods.
#pragma once

#include "../transport.hpp"

namespace nearfar::exchange {

std::unique_ptr<transport> make_isend(context& c, peers which, const std::string& method);
std::unique_ptr<transport> make_persistent(context& c, peers which, const std::string& method);

}  // namespace nearfar::exchange
