// SPDX-License-Identifier: BSD-3-Clause
// Lengths first: in the same line or call as the data if it is short.
#include "uneven.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <near/process_reads.hpp>
#include <nearfar/error.hpp>
#include <topology/team_state.hpp>
#include <vector>

#include "block_messages.hpp"
#include "in_place.hpp"
#include "ring.hpp"

namespace nearfar::collective {

namespace {

constexpr index_t read_from_bytes = 32 << 10;  // shorter ones are faster through the ring
constexpr index_t short_bytes = node_segment::slot_bytes - near::line_payload_bytes;
constexpr index_t longest_message = 8 << 10;

// What a sender says before its data; one line.
struct announcement {
  std::int64_t longest = 0;
  std::uint8_t is_inline = 0;    // the blocks are in this slot
  std::uint8_t blocks[47] = {};  // for each rank: the first line of its block and a digest of the length
};
static_assert(sizeof(announcement) == near::line_payload_bytes);
constexpr int most_inline_ranks = 47;
constexpr int line_bits = 5;
static_assert(node_segment::slot_lines < 1 << line_bits);

piece_cut cut_for(index_t longest, near::stores how) {
  if (longest <= 32 << 10) return {8 << 10, 3, how};
  return longest <= 256 << 10 ? piece_cut{32 << 10, 2, how} : piece_cut{128 << 10, 1, how};
}

index_t line_of(const announcement& a, int r) { return a.blocks[r] & ((1 << line_bits) - 1); }

// Three bits, above the line.
index_t digest_of(index_t bytes) {
  return static_cast<index_t>(static_cast<std::uint64_t>(bytes) * 0x9e3779b97f4a7c15ULL >> 61) << line_bits;
}

void require_length(const node_segment& h, const movement& m, const announcement& a, int from) {
  if (m.ranks > most_inline_ranks || !m.receives_from(from)) return;
  const index_t bytes = m.received.length(from);
  if ((a.blocks[m.rank] >> line_bits << line_bits) != digest_of(bytes))
    throw usage_error(text("rank ", state_of(h.team()).near_ranks[as_size(from)], " does not send the ", bytes,
                           " B that this rank expects"));
}

announcement announce(const movement& m) {
  announcement a;
  index_t line = 1;
  a.is_inline = m.ranks <= most_inline_ranks ? 1 : 0;
  for (int r = 0; r < m.ranks; ++r) {
    if (!m.sends_to(r)) continue;
    const index_t bytes = m.sent.length(r);
    a.longest = std::max(a.longest, bytes);
    if (m.ranks <= most_inline_ranks)
      a.blocks[r] = static_cast<std::uint8_t>(digest_of(bytes) | (a.is_inline != 0 ? line : 0));
    line += near::lines_for(bytes);
    if (line > node_segment::slot_lines) a.is_inline = 0;
  }
  return a;
}

void post_inline(node_segment& h, const movement& m, const announcement& a) {
  for (int r = 0; r < m.ranks; ++r)
    if (m.sends_to(r) && m.sent.length(r) > 0) h.post(m.sent.at(r), m.sent.length(r), line_of(a, r), m.sent.length(r));
}

void collect_inline(node_segment& h, const movement& m, const std::vector<announcement>& all) {
  for (int i = 0; i + 1 < m.ranks; ++i) {
    const int from = m.peer(i);
    const index_t bytes = m.received.length(from);
    if (m.receives_from(from) && bytes > 0)
      h.collect(from, m.received.at(from), bytes, line_of(all[as_size(from)], m.rank), bytes);
  }
}

// A call of the node segment without data may follow: tables of addresses need the slot for themselves.
void move_long(node_segment& h, movement& m, index_t longest, bool are_read, near::stores how) {
  m.largest = longest;
  if (!are_read || longest < read_from_bytes) {
    stream(h, m, cut_for(longest, how));
    return;
  }
  end_call(h, m);
  h.begin();
  read_all(h, m);
}

index_t length_of_longest(const movement& m) {
  index_t longest = 0;
  for (int r = 0; r < m.ranks; ++r)
    if (m.receives_from(r)) longest = std::max(longest, m.received.length(r));
  return longest;
}

// ---- gatherv: blocks that are too long for a slot and too short to be read pass as messages, whose senders wait for
// nobody ----

bool is_message(index_t bytes) { return bytes > short_bytes && bytes <= longest_message; }
bool is_read(index_t bytes) { return bytes > longest_message; }

void send_block(node_segment& h, const movement& m) {
  block_messages messages(h);
  messages.send(m.only_to, m.sent.base, m.sent.bytes);
  messages.finish();
}

void receive_block(node_segment& h, const movement& m, int from) {
  block_messages messages(h);
  messages.receive(from, m.received.at(from), m.received.length(from));
  h.expect_block(from, m.received.length(from));
  messages.finish();
  h.expect_block(-1, 0);
}

bool read_block(node_segment& h, const movement& m, int from) {
  const std::byte* at = nullptr;
  h.collect(from, &at, sizeof at, 0, m.received.length(from));
  std::vector<iovec> local{{m.received.at(from), as_size(m.received.length(from))}};
  std::vector<iovec> remote{{const_cast<std::byte*>(at), as_size(m.received.length(from))}};
  return near::try_to_read_process(process_of(h, from), local, remote);
}

void move_uneven(workspace& work, const job& j, bool are_read) {
  node_segment& h = *work.near;
  h.begin();
  movement m = movement_of(j, h.rank(), h.size());
  std::vector<announcement> all(as_size(m.ranks));
  announcement& own = all[as_size(m.rank)];
  if (m.does_send()) {
    own = announce(m);
    h.post(&own, sizeof own);
    if (own.is_inline != 0) post_inline(h, m, own);
  }
  index_t longest = own.longest;
  bool are_inline = !m.does_send() || own.is_inline != 0;
  for (int r = 0; r < m.ranks; ++r) {
    if (r == m.rank || (m.only_from >= 0 && m.only_from != r)) continue;
    announcement& theirs = all[as_size(r)];
    h.collect(r, &theirs, sizeof theirs);
    require_length(h, m, theirs, r);
    longest = std::max(longest, theirs.longest);
    are_inline = are_inline && theirs.is_inline != 0;
  }
  if (are_inline) {
    m.copy_own();
    collect_inline(h, m, all);
  } else {
    move_long(h, m, longest, are_read, work.cut.how);
  }
  end_call(h, m);
}

}  // namespace

void move_uneven_by_ring(workspace& work, const job& j) { move_uneven(work, j, false); }
void move_uneven_by_reads(workspace& work, const job& j) { move_uneven(work, j, true); }

void gatherv_by_ring(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  movement m = movement_of(j, h.rank(), h.size());
  index_t longest = m.does_receive() ? length_of_longest(m) : 0;
  if (m.does_receive())
    h.post(&longest, sizeof longest);
  else
    h.collect(m.only_to, &longest, sizeof longest);
  m.largest = longest;
  if (longest > node_segment::slot_bytes) {
    stream(h, m, cut_for(longest, work.cut.how));
  } else if (!m.does_receive()) {
    if (m.sent.bytes > 0) h.post(m.sent.base, m.sent.bytes, 0, m.sent.bytes);
  } else {
    m.copy_own();
    for (int r = 0; r < m.ranks; ++r)
      if (m.receives_from(r) && m.received.length(r) > 0)
        h.collect(r, m.received.at(r), m.received.length(r), 0, m.received.length(r));
  }
  h.leave();
}

void gatherv_by_reads(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const movement m = movement_of(j, h.rank(), h.size());
  if (!m.does_receive()) {
    const index_t bytes = m.sent.bytes;
    if (is_message(bytes)) {
      send_block(h, m);
    } else if (is_read(bytes)) {
      h.post(&m.sent.base, sizeof m.sent.base, 0, bytes);
      finish_reading(h, m, true, longest_message);
    } else if (bytes > 0) {
      h.post(m.sent.base, bytes, 0, bytes);
    }
  } else {
    m.copy_own();
    bool is_all_read = true;
    for (int i = 0; i + 1 < m.ranks; ++i) {
      const int from = m.peer(i);
      const index_t bytes = m.received.length(from);
      if (is_message(bytes))
        receive_block(h, m, from);
      else if (is_read(bytes))
        is_all_read = read_block(h, m, from) && is_all_read;
      else if (bytes > 0)
        h.collect(from, m.received.at(from), bytes, 0, bytes);
    }
    if (is_read(length_of_longest(m))) finish_reading(h, m, is_all_read, longest_message);
  }
  h.leave();
}

void allgatherv_by_lines(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const movement m = movement_of(j, h.rank(), h.size());
  h.post(m.sent.base, m.sent.bytes);
  m.copy_own();
  for (int i = 0; i + 1 < m.ranks; ++i) h.collect(m.peer(i), m.received.at(m.peer(i)), m.received.length(m.peer(i)));
  h.all_arrived();
}

}  // namespace nearfar::collective
