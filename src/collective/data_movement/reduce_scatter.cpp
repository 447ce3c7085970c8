// SPDX-License-Identifier: BSD-3-Clause
// Moves like alltoall, but what arrives is combined where it lies.
#include "reduce_scatter.hpp"

#include <algorithm>
#include <vector>

#include "ring.hpp"

namespace nearfar::collective {

namespace {

// The parts as blocks that all ranks send to all; every rank knows all lengths.
movement parts_of(const job& j, const node_segment& h) {
  movement m;
  m.rank = h.rank();
  m.ranks = h.size();
  m.sent.base = j.in;
  m.received.base = j.out;
  if (j.what == kind::reduce_scatter_block) {
    m.largest = m.sent.bytes = m.sent.stride = j.bytes / m.ranks;
    return m;
  }
  m.is_even = false;
  m.sent.lengths = j.blocks.send_bytes.data();
  m.sent.offsets = j.blocks.send_offsets.data();
  for (const index_t length : j.blocks.send_bytes) m.largest = std::max(m.largest, length);
  return m;
}

// Elements may be longer than a rank's share of a unit.
piece_cut cut_for(const movement& m, index_t element, piece_cut cut) {
  while (cut.unit / m.places() / 64 * 64 < element && cut.unit < ring_bytes / 4) cut.unit *= 2;
  cut.ahead = std::min(cut.ahead, static_cast<int>(ring_bytes / cut.unit) - 2);
  return cut;
}

// The lines of the parts before `r`, the same in every slot.
index_t first_line(const movement& m, int r) {
  if (m.is_even) return r * near::lines_for(m.largest);
  index_t lines = 0;
  for (int i = 0; i < r; ++i) lines += near::lines_for(m.sent.length(i));
  return lines;
}

}  // namespace

void reduce_scatter_by_lines(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const movement m = parts_of(j, h);
  for (int i = 0; i + 1 < m.ranks; ++i) {
    const int to = m.peer(i);
    if (m.sent.length(to) > 0) h.post(m.sent.at(to), m.sent.length(to), first_line(m, to));
  }
  const index_t own = m.sent.length(m.rank), line = first_line(m, m.rank);
  std::byte* copies = work.scratch_of(own * m.ranks);
  std::vector<const std::byte*> from(as_size(m.ranks));
  for (int r = 0; own > 0 && r < m.ranks; ++r) {
    from[as_size(r)] = r == m.rank ? m.sent.at(r) : copies + r * own;
    if (r != m.rank) h.collect(r, copies + r * own, own, line);
  }
  if (own > 0) j.op.combine_all(j.out, from.data(), m.ranks, own / j.op.element_bytes());
  end_call(h, m);
}

void reduce_scatter_by_ring(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const movement m = parts_of(j, h);
  const index_t element = j.op.element_bytes();
  const piece_cut cut = cut_for(m, element, work.cut);
  const index_t place_bytes = cut.unit / m.places() / 64 * 64;
  const index_t piece = place_bytes / element * element;
  const index_t steps = (m.largest + piece - 1) / piece, own = m.sent.length(m.rank);
  std::vector<const std::byte*> from(as_size(m.ranks));
  run_steps(
      h, steps, cut, [&](index_t k, std::uint64_t at) { contribute_pieces(h, m, k, piece, place_bytes, at, cut); },
      [&](index_t k, std::uint64_t at) {
        const index_t bytes = std::clamp<index_t>(own - k * piece, 0, piece);
        if (bytes == 0) return;
        for (int r = 0; r < m.ranks; ++r)
          from[as_size(r)] =
              r == m.rank ? m.sent.at(r) + k * piece : h.theirs(r, at, cut.unit) + m.place_of(r, m.rank) * place_bytes;
        j.op.combine_all(j.out + k * piece, from.data(), m.ranks, bytes / element);
      });
  end_call(h, m);
}

}  // namespace nearfar::collective
