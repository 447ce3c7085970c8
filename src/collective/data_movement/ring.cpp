// SPDX-License-Identifier: BSD-3-Clause
// Every step uses the same part of every ring, also of ranks that write nothing there.
#include "ring.hpp"

#include <algorithm>

namespace nearfar::collective {

namespace {

index_t bytes_in_piece(index_t length, index_t k, index_t piece) {
  return std::clamp<index_t>(length - k * piece, 0, piece);
}

void copy_out(node_segment& h, const movement& m, index_t k, index_t piece, std::uint64_t at, index_t unit) {
  for (int i = 0; i + 1 < m.ranks; ++i) {
    const int from = m.peer(i);
    if (!m.receives_from(from)) continue;
    const index_t bytes = bytes_in_piece(m.received.length(from), k, piece);
    if (bytes == 0) continue;
    const std::byte* piece_at = h.theirs(from, at, unit) + m.place_of(from, m.rank) * piece;
    std::memcpy(m.received.at(from) + k * piece, piece_at, as_size(bytes));
  }
}

}  // namespace

void contribute_pieces(node_segment& h, const movement& m, index_t k, index_t piece, index_t place_bytes,
                       std::uint64_t at, piece_cut cut) {
  if (!m.does_send() || (m.is_one_for_all && m.only_to == m.rank)) return;
  std::byte* to = h.mine(at, cut.unit);
  for (int place = 0; place < m.places(); ++place) {
    const int peer = place < m.rank || m.is_one_for_all ? place : place + 1;
    const index_t bytes = bytes_in_piece(m.sent.length(peer), k, piece);
    if (bytes > 0) near::copy(cut.how, to + place * place_bytes, m.sent.at(peer) + k * piece, bytes);
  }
  near::finish(cut.how);
  h.publish(at + static_cast<std::uint64_t>(cut.unit));
}

void stream(node_segment& h, const movement& m, piece_cut cut) {
  const index_t piece = cut.unit / m.places() / 64 * 64;
  const index_t steps = (m.largest + piece - 1) / piece;
  bool has_copied = false;
  run_steps(
      h, steps, cut, [&](index_t k, std::uint64_t at) { contribute_pieces(h, m, k, piece, piece, at, cut); },
      [&](index_t k, std::uint64_t at) {
        if (!has_copied) m.copy_own();  // the peers have something to read meanwhile
        has_copied = true;
        copy_out(h, m, k, piece, at, cut.unit);
      });
  if (!has_copied) m.copy_own();
}

void move_by_ring(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const movement m = movement_of(j, h.rank(), h.size());
  stream(h, m, work.cut);
  end_call(h, m);
}

}  // namespace nearfar::collective
