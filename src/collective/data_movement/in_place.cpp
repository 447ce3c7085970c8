// SPDX-License-Identifier: BSD-3-Clause
// Addresses are exchanged in the lines of a slot, and so is the notice that a buffer is free again.
#include "in_place.hpp"

#include <algorithm>
#include <near/process_reads.hpp>
#include <vector>

#include "block_messages.hpp"

namespace nearfar::collective {

namespace {

constexpr index_t done_line = node_segment::slot_lines - 1;
constexpr index_t table_line = 2;  // of move_directly: behind the two that shared_buffers needs
constexpr index_t number_bytes = sizeof(std::int64_t);
constexpr index_t in_a_line = near::line_payload_bytes / number_bytes;

static_assert(table_line + near::lines_for(most_ranks_in_table * number_bytes) <= done_line);

// A list of one number for each rank, in whole lines so that each rank reads the one it needs.
void post_table(node_segment& h, const std::vector<std::int64_t>& numbers, index_t line) {
  h.post(numbers.data(), as_index(numbers.size()) * number_bytes, line);
}

std::int64_t collect_number(node_segment& h, int from, int which, int ranks, index_t line) {
  std::int64_t numbers[in_a_line];
  const index_t first = which / in_a_line * in_a_line;
  const index_t count = std::min<index_t>(in_a_line, ranks - first);
  h.collect(from, numbers, count * number_bytes, line + which / in_a_line);
  return numbers[which - first];
}

template <class Byte>
std::vector<std::int64_t> offsets_of(const block_list<Byte>& side, int ranks, const void* from) {
  std::vector<std::int64_t> table(as_size(ranks));
  for (int r = 0; r < ranks; ++r)
    table[as_size(r)] = reinterpret_cast<std::intptr_t>(side.at(r)) - reinterpret_cast<std::intptr_t>(from);
  return table;
}

void post_addresses(node_segment& h, const movement& m) {
  if (m.is_even || m.is_one_for_all) {
    const std::byte* base = m.sent.base;
    h.post(&base, sizeof base);
  } else {
    post_table(h, offsets_of(m.sent, m.ranks, nullptr), 0);
  }
}

const std::byte* collect_address(node_segment& h, const movement& m, int from) {
  if (!m.is_even && !m.is_one_for_all)
    return reinterpret_cast<const std::byte*>(collect_number(h, from, m.rank, m.ranks, 0));
  const std::byte* base = nullptr;
  h.collect(from, &base, sizeof base);
  return m.is_one_for_all ? base : base + m.rank * m.largest;
}

// The bytes that the blocks of one side span.
template <class Byte>
struct span_of_blocks {
  Byte* first = nullptr;
  index_t bytes = 0;
  span_of_blocks() = default;
  span_of_blocks(const block_list<Byte>& side, int ranks) {
    Byte* end = nullptr;
    for (int r = 0; r < ranks; ++r) {
      if (side.length(r) == 0) continue;
      first = end == nullptr ? side.at(r) : std::min(first, side.at(r));
      end = std::max(end, side.at(r) + side.length(r));
    }
    bytes = end - first;
  }
};

// Where a peer's part lies behind the start of its buffer, in the direction of the copies.
class direct_run {
 public:
  direct_run(workspace& work, const movement& m) : h_(*work.near), m_(m), pushes_(m.only_to >= 0) {
    if (pushes_ ? m.does_receive() : m.does_send()) {
      if (pushes_)
        own_out_ = {m.received, m.ranks};
      else
        own_in_ = {m.sent, m.is_one_for_all ? 1 : m.ranks};
    }
    are_near_ = all_.meet(h_, work.neighbours, own_in_.first, own_in_.bytes, own_out_.first, own_out_.bytes);
  }
  bool are_near() const noexcept { return are_near_; }

  void run() {
    const bool has_table = !m_.is_even && !(m_.is_one_for_all && !pushes_);
    if (has_table && own_in_.first != nullptr) post_table(h_, offsets_of(m_.sent, m_.ranks, own_in_.first), table_line);
    if (has_table && own_out_.first != nullptr)
      post_table(h_, offsets_of(m_.received, m_.ranks, own_out_.first), table_line);
    m_.copy_own();
    for (int i = 0; i + 1 < m_.ranks; ++i) pushes_ ? push(m_.peer(i), has_table) : pull(m_.peer(i), has_table);
    meet_again(h_, done_line);
  }

 private:
  index_t offset_at(int r, bool has_table) {
    if (has_table) return collect_number(h_, r, m_.rank, m_.ranks, table_line);
    return m_.is_one_for_all && !pushes_ ? 0 : m_.rank * m_.largest;
  }
  void pull(int from, bool has_table) {
    const index_t bytes = m_.received.length(from);
    if (!m_.receives_from(from) || bytes == 0) return;
    std::memcpy(m_.received.at(from), all_.in[as_size(from)] + offset_at(from, has_table), as_size(bytes));
  }
  void push(int to, bool has_table) {
    const index_t bytes = m_.sent.length(to);
    if (!m_.sends_to(to) || bytes == 0) return;
    std::memcpy(all_.out[as_size(to)] + offset_at(to, has_table), m_.sent.at(to), as_size(bytes));
  }

  node_segment& h_;
  const movement& m_;
  bool pushes_, are_near_ = false;
  span_of_blocks<const std::byte> own_in_;
  span_of_blocks<std::byte> own_out_;
  shared_buffers all_;
};

}  // namespace

void read_all(node_segment& h, const movement& m) {
  if (m.does_send()) post_addresses(h, m);
  m.copy_own();
  std::vector<iovec> local, remote;
  bool is_all_read = true;
  for (int i = 0; i + 1 < m.ranks; ++i) {
    const int from = m.peer(i);
    const index_t bytes = m.received.length(from);
    if (!m.receives_from(from) || bytes == 0) continue;
    local.assign(1, {m.received.at(from), as_size(bytes)});
    remote.assign(1, {const_cast<std::byte*>(collect_address(h, m, from)), as_size(bytes)});
    is_all_read = near::try_to_read_process(process_of(h, from), local, remote) && is_all_read;
  }
  finish_reading(h, m, is_all_read);
}

void finish_reading(node_segment& h, const movement& m, bool is_all_read, index_t longer_than) {
  const auto is_read = [longer_than](index_t bytes) { return bytes > longer_than; };
  block_messages instead(h);
  std::int64_t verdict = is_all_read ? 1 : 0;
  if (m.does_receive()) h.post(&verdict, sizeof verdict, done_line);
  for (int r = 0; !is_all_read && r < m.ranks; ++r)
    if (m.receives_from(r) && is_read(m.received.length(r))) instead.receive(r, m.received.at(r), m.received.length(r));
  for (int r = 0; r < m.ranks; ++r) {
    if (!m.sends_to(r)) continue;
    h.collect(r, &verdict, sizeof verdict, done_line);
    if (verdict == 0 && is_read(m.sent.length(r))) instead.send(r, m.sent.at(r), m.sent.length(r));
  }
  instead.finish();
}

void move_by_reads(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const movement m = movement_of(j, h.rank(), h.size());
  read_all(h, m);
  end_call(h, m);
}

void move_directly(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const movement m = movement_of(j, h.rank(), h.size());
  direct_run run(work, m);
  if (run.are_near()) run.run();
  h.all_arrived();
  work.is_declined = !run.are_near();
}

}  // namespace nearfar::collective
