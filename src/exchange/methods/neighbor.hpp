// SPDX-License-Identifier: BSD-3-Clause
// Maker of the neighbourhood collective method.
#pragma once

#include "../transport.hpp"

namespace nearfar::exchange {

std::unique_ptr<transport> make_neighbor(context& c, peers which, const std::string& method);

}  // namespace nearfar::exchange
