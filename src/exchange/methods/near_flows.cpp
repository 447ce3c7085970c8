// SPDX-License-Identifier: BSD-3-Clause
// The boxes of flows with their addresses.
#include "near_flows.hpp"

namespace nearfar::exchange {

std::vector<placed_box> boxes_of(const context& c, const flow& f) {
  std::vector<placed_box> all;
  for (const transfer* t : f.transfers)
    all.push_back({static_cast<std::byte*>(c.what.buffers[as_size(t->buffer)].base), t->where});
  return all;
}

}  // namespace nearfar::exchange
