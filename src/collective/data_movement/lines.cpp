// SPDX-License-Identifier: BSD-3-Clause
// Tiny data through the slots of the node segment.
#include "lines.hpp"

namespace nearfar::collective {

void move_by_lines(workspace& work, const job& j) {
  node_segment& h = *work.near;
  const movement m = movement_of(j, h.rank(), h.size());
  const index_t lines = near::lines_for(j.bytes);
  h.begin(lines * m.places(), !m.is_among_all());
  if (m.does_send()) {
    if (m.is_one_for_all) {
      if (m.only_to != m.rank) h.post(m.sent.base, j.bytes);
    } else {
      for (int i = 0; i + 1 < m.ranks; ++i)
        h.post(m.sent.at(m.peer(i)), j.bytes, m.place_of(m.rank, m.peer(i)) * lines);
    }
  }
  m.copy_own();
  if (m.does_receive())
    for (int i = 0; i + 1 < m.ranks; ++i) {
      const int from = m.peer(i);
      if (m.receives_from(from)) h.collect(from, m.received.at(from), j.bytes, m.place_of(from, m.rank) * lines);
    }
  end_call(h, m);
}

void barrier_by_lines(workspace& work, const job&) {
  node_segment& h = *work.near;
  h.begin(1);
  meet_again(h, 0);
  h.all_arrived();
}

void barrier_by_rounds(workspace& work, const job&) {
  node_segment& h = *work.near;
  h.begin();
  index_t line = 0;
  for (int distance = 1; distance < h.size(); distance *= 2, ++line) {
    h.post(nullptr, 0, line);
    h.collect((h.rank() - distance + h.size()) % h.size(), nullptr, 0, line);
  }
  h.all_arrived();
}

}  // namespace nearfar::collective
