// SPDX-License-Identifier: BSD-3-Clause
// Reductions of tiny data: every rank writes its contribution and the call's number into cache lines, and reads those
// of the others.
#include "lines.hpp"

#include <cstring>

namespace nearfar::collective {

namespace {

struct alignas(64) slot_copy {
  std::byte bytes[node_segment::slot_bytes];
};

}  // namespace

void combine_slots(node_segment& h, const job& j, int first, int last, std::byte* out) {
  slot_copy sum, next;
  const std::byte* left = nullptr;
  for (int r = first; r <= last; ++r) {
    const std::byte* right = j.in;
    if (r != h.rank()) {
      auto* to = left == nullptr ? sum.bytes : next.bytes;
      h.collect(r, to, j.bytes);
      right = to;
    }
    if (left == nullptr) {
      left = right;
      continue;
    }
    auto* to = r == last ? out : sum.bytes;
    j.op.combine(to, left, right, j.count);
    left = to;
  }
  if (left != out) std::memcpy(out, left, as_size(j.bytes));
}

void allreduce_by_lines(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin(near::lines_for(j.bytes));
  h.post(j.in, j.bytes);
  combine_slots(h, j, 0, h.size() - 1, j.out);
  h.all_arrived();
}

void reduce_by_lines(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin(near::lines_for(j.bytes), true);
  if (h.rank() == j.root)
    combine_slots(h, j, 0, h.size() - 1, j.out);
  else
    h.post(j.in, j.bytes);
  h.leave();
}

void scan_by_lines(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin(near::lines_for(j.bytes), true);
  h.post(j.in, j.bytes);
  const int last = h.rank() - (j.what == kind::exscan ? 1 : 0);
  if (last >= 0) combine_slots(h, j, 0, last, j.out);
  h.leave();
}

}  // namespace nearfar::collective
