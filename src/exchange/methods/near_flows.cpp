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

near::handle handle_of(const context& c, const transfer& t) {
  const buffer& b = c.what.buffers[as_size(t.buffer)];
  return c.arena->find(b.base, b.bytes);
}

void describe(byte_writer& w, const context& c, const outgoing& out) {
  w.put(out.how);
  w.put(out.place);
  if (out.how == protocol::direct) {
    for (const transfer* t : out.f->transfers) {
      w.put(handle_of(c, *t));
      const auto& box = t->where;
      w.put(box.offset_bytes);
      w.put_list(box.strides_bytes);
    }
  }
  if (out.pipe) w.put_list(out.pipe->cuts());
  if (out.how == protocol::process_read) {
    w.put(getpid());
    w.put_list(out.f->runs());
  }
}

}  // namespace nearfar::exchange
