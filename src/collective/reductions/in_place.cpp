// SPDX-License-Identifier: BSD-3-Clause
// Each rank owns a slice of the vector: nobody else combines it, so that all get the same bits.
#include "in_place.hpp"

#include <algorithm>
#include <collective/shared_buffers.hpp>
#include <cstring>
#include <near/process_reads.hpp>
#include <nearfar/error.hpp>
#include <vector>

namespace nearfar::collective {

namespace {

constexpr index_t block_bytes = 16 << 10;        // combined, then stored to the others while it is in the first cache
constexpr index_t read_block_bytes = 128 << 10;  // one system call each
constexpr index_t agreed_line = 2, done_line = 3, left_line = 4;

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

std::vector<iovec> one_iovec(const std::byte* at, index_t bytes) {
  return {{const_cast<std::byte*>(at), as_size(bytes)}};
}

// This rank's slice of everybody's input, block by block: read into scratch, then combined.
class slice_by_reads {
 public:
  slice_by_reads(workspace& work, const job& j, const remote_buffers& all)
      : h_(*work.near), j_(j), all_(all), element_(j.op.element_bytes()) {
    per_block_ = std::max<index_t>(1, read_block_bytes / element_);
    scratch_ = work.scratch_of(per_block_ * element_ * h_.size());
    from_.resize(as_size(h_.size()));
  }

  // Nothing is written before all are known to be able to read: the output may be the input.
  bool read_first() {
    const slice own(j_, h_.rank(), h_.size());
    return own.count == 0 || read(own.first, std::min(per_block_, own.count));
  }

  void combine() {
    const slice own(j_, h_.rank(), h_.size());
    for_blocks(own, per_block_, [&](index_t at, index_t count) {
      if (at != own.first && !read(at, count)) throw transport_error("a near rank cannot be read any more");
      j_.op.combine_all(j_.out + at * element_, from_.data(), h_.size(), count);
    });
  }

 private:
  bool read(index_t at, index_t count) {
    const index_t offset = at * element_, bytes = count * element_;
    bool is_read = true;
    for (int r = 0; is_read && r < h_.size(); ++r) {
      from_[as_size(r)] = j_.in + offset;
      if (r == h_.rank()) continue;
      std::byte* const copy = scratch_ + r * per_block_ * element_;
      auto local = one_iovec(copy, bytes), remote = one_iovec(all_.in[as_size(r)] + offset, bytes);
      is_read = near::try_to_read_process(process_of(h_, r), local, remote);
      from_[as_size(r)] = copy;
    }
    return is_read;
  }

  const node_segment& h_;
  const job& j_;
  const remote_buffers& all_;
  index_t element_, per_block_;
  std::byte* scratch_;
  std::vector<const std::byte*> from_;
};

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
  work.is_declined = work.are_reads_refused;
  if (work.is_declined) return;
  h.begin();
  remote_buffers all;
  all.meet(h, j.in, j.out);
  slice_by_reads own(work, j, all);
  if (!meet_again(h, agreed_line, own.read_first())) {
    h.all_arrived();
    work.is_declined = work.are_reads_refused = true;
    return;
  }
  own.combine();
  meet_again(h, done_line);
  const index_t element = j.op.element_bytes();
  for (int i = 1; i < h.size(); ++i) {
    const int r = (h.rank() + i) % h.size();
    const slice s(j, r, h.size());
    if (s.count == 0) continue;
    auto local = one_iovec(j.out + s.first * element, s.count * element);
    auto remote = one_iovec(all.out[as_size(r)] + s.first * element, s.count * element);
    near::read_process(process_of(h, r), local, remote);
  }
  meet_again(h, left_line);
  h.all_arrived();
}

}  // namespace nearfar::collective
