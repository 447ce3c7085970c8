// SPDX-License-Identifier: BSD-3-Clause
// Maker of the one-sided method.
#pragma once

#include "../transport.hpp"

namespace nearfar::exchange {

bool is_putting_possible(const context& c);
std::unique_ptr<transport> make_rma(context& c, peers which, const std::string& method);

}  // namespace nearfar::exchange
