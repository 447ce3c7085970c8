// SPDX-License-Identifier: BSD-3-Clause
// Each rank owns a slice of the vector: nobody else combines it, so that all get the same bits.
#include "in_place.hpp"

#include <algorithm>
#include <collective/shared_buffers.hpp>
#include <cstring>
#include <near/process_reads.hpp>

namespace nearfar::collective {

namespace {

constexpr index_t block_bytes = 16 << 10;        // combined, then stored to the others while it is in the first cache
constexpr index_t read_block_bytes = 128 << 10;  // one system call each
constexpr index_t done_line = 3, left_line = 4;

struct slice {
  index_t first, count;
  slice(const job& j, int of, int ranks) {
    const index_t fair = (j.count + ranks - 1) / ranks;
    first = std::min(j.count, of * fair);
    count = std::min(j.count - first, fair);
  }
};

// Calls visit(first element, elements) for the blocks of a slice.
template <class Visit>
void for_blocks(const slice& s, index_t per_block, Visit visit) {
  for (index_t at = s.first; at < s.first + s.count; at += per_block)
    visit(at, std::min(per_block, s.first + s.count - at));
}

void combine_in_place(const node_segment& h, const job& j, const shared_buffers& all) {
  const index_t element = j.op.element_bytes();
  std::vector<const std::byte*> from(as_size(h.size()));
  for_blocks(slice(j, h.rank(), h.size()), std::max<index_t>(1, block_bytes / element), [&](index_t at, index_t count) {
    const index_t offset = at * element, bytes = count * element;
    for (std::size_t r = 0; r < from.size(); ++r) from[r] = all.in[r] + offset;
    const int next = (h.rank() + 1) % h.size();
    std::byte* second = all.out[as_size(next)] == all.in[as_size(next)] ? nullptr : all.out[as_size(next)] + offset;
    j.op.combine_all(j.out + offset, second, from.data(), h.size(), count);
    for (int r = 0; r < h.size(); ++r)
      if (r != h.rank() && (r != next || second == nullptr))
        std::memcpy(all.out[as_size(r)] + offset, j.out + offset, as_size(bytes));
  });
}

void read(const node_segment& h, int from, std::byte* to, const std::byte* at, index_t bytes) {
  std::vector<iovec> local{{to, as_size(bytes)}};
  std::vector<iovec> remote{{const_cast<std::byte*>(at), as_size(bytes)}};
  near::read_process(h.process_of(from), local, remote);
}

void combine_by_reads(workspace& work, const job& j, const remote_buffers& all) {
  node_segment& h = *work.near;
  const index_t element = j.op.element_bytes(), per_block = std::max<index_t>(1, read_block_bytes / element);
  std::byte* scratch = work.scratch_of(per_block * element * h.size());
  std::vector<const std::byte*> from(as_size(h.size()));
  for_blocks(slice(j, h.rank(), h.size()), per_block, [&](index_t at, index_t count) {
    const index_t offset = at * element, bytes = count * element;
    for (int r = 0; r < h.size(); ++r) {
      from[as_size(r)] = j.in + offset;
      if (r == h.rank()) continue;
      std::byte* copy = scratch + r * per_block * element;
      read(h, r, copy, all.in[as_size(r)] + offset, bytes);
      from[as_size(r)] = copy;
    }
    j.op.combine_all(j.out + offset, from.data(), h.size(), count);
  });
}

}  // namespace

void allreduce_direct(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  shared_buffers all;
  const bool are_near = all.meet(h, work.neighbours, j.in, j.bytes, j.out, j.bytes);
  if (are_near) {
    combine_in_place(h, j, all);
    meet_again(h, done_line);
  }
  h.all_arrived();
  work.is_declined = !are_near;
}

void allreduce_by_reads(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  remote_buffers all;
  all.meet(h, j.in, j.out);
  combine_by_reads(work, j, all);
  meet_again(h, done_line);
  const index_t element = j.op.element_bytes();
  for (int i = 1; i < h.size(); ++i) {
    const int r = (h.rank() + i) % h.size();
    const slice s(j, r, h.size());
    if (s.count > 0) read(h, r, j.out + s.first * element, all.out[as_size(r)] + s.first * element, s.count * element);
  }
  meet_again(h, left_line);
  h.all_arrived();
}

}  // namespace nearfar::collective
