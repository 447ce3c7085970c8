// SPDX-License-Identifier: BSD-3-Clause
// The boxes of flows at their places.
#include "near_flows.hpp"

namespace nearfar::exchange {

namespace {

placed_box place_in_buffer(const context& c, const transfer& t) {
  return {static_cast<std::byte*>(c.what.buffers[as_size(t.buffer)].base), std::get<strided_box>(t.where)};
}

}  // namespace

std::vector<placed_box> sources_of(const context& c, const flow& f) {
  std::vector<placed_box> all;
  for (const transfer* t : f.transfers) all.push_back(place_in_buffer(c, *t));
  return all;
}

std::vector<placed_box> targets_of(const context& c, flow& f) {
  std::vector<placed_box> all;
  index_t at = 0;
  for (const transfer* t : f.transfers) {
    placed_box& target = all.emplace_back(place_in_buffer(c, *t));
    if (!f.keeps_delivery) continue;
    target = {f.delivered.data() + at, packed(target.box)};
    at += target.box.elements() * target.box.element_bytes;
  }
  return all;
}

}  // namespace nearfar::exchange
