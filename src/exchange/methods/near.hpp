// SPDX-License-Identifier: BSD-3-Clause
// Makers of the methods for near peers.
#pragma once

#include "../transport.hpp"

namespace nearfar::exchange {

bool is_near_memory_shared(const context& c);
bool is_process_reading_possible(const context& c);
std::unique_ptr<transport> make_near_line(context& c, peers which);
std::unique_ptr<transport> make_near_staged(context& c, peers which);
std::unique_ptr<transport> make_near_direct(context& c, peers which);
std::unique_ptr<transport> make_near_mixed(context& c, peers which);
std::unique_ptr<transport> make_near_cma(context& c, peers which);
std::unique_ptr<transport> make_node_barrier(context& c, peers which);

}  // namespace nearfar::exchange
