// SPDX-License-Identifier: BSD-3-Clause
// Maker of the methods for near peers: one engine, a policy per name.
#pragma once

#include "../transport.hpp"

namespace nearfar::exchange {

bool is_near_memory_shared(const context& c);
bool is_process_reading_possible(const context& c);

/// `method` is one of the near-… names or node-barrier.
std::unique_ptr<transport> make_near(context& c, peers which, const std::string& method);

/// Two near methods with the same value on every rank would do the same for the flows of this exchange, or so nearly
/// that one of them is enough: what fits a core's own cache is not to be stored past it. Local.
std::uint64_t protocols_of(const context& c, const std::string& method);

}  // namespace nearfar::exchange
