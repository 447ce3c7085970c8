// SPDX-License-Identifier: BSD-3-Clause
// Makers of the plain message-passing methods.
#pragma once

#include "../transport.hpp"

namespace nearfar::exchange {

/// Of a message of "parts". Below where MPIs begin to ask before they send: that costs a round trip, and over TCP much
/// more.
inline constexpr index_t longest_part_bytes = 16384;

std::unique_ptr<transport> make_isend(context& c, peers which, const std::string& method);
std::unique_ptr<transport> make_persistent(context& c, peers which, const std::string& method);
std::unique_ptr<transport> make_parts(context& c, peers which, const std::string& method);

/// True where some far message is long enough to be cut. Same answer on every rank.
bool are_parts_different(const context& c);

}  // namespace nearfar::exchange
