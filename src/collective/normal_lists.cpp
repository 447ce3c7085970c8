// SPDX-License-Identifier: BSD-3-Clause
// Blocks with lists of counts: each has its own length and place, and in alltoallw its own type.
#include <algorithm>
#include <numeric>

#include "normal_blocks.hpp"

namespace nearfar::collective {

namespace {

// One side with a list, in bytes. `lengths` and `offsets` are filled; offsets are those of a packed copy where some
// type has gaps.
class listed_side {
 public:
  listed_side(const side& s, int ranks, std::vector<index_t>& lengths, std::vector<index_t>& offsets)
      : side_(s), ranks_(ranks), lengths_(lengths), offsets_(offsets) {}

  // False: MPI shall complain.
  bool measure() {
    if (!side_.counts || !side_.displs) return false;
    if (side_.types == nullptr && !find_shape(side_.type, shape_)) return false;
    lengths_.resize(as_size(ranks_));
    offsets_.resize(as_size(ranks_));
    for (int r = 0; r < ranks_; ++r)
      if (!measure_block(r)) return false;
    total_ = std::accumulate(lengths_.begin(), lengths_.end(), index_t{0});
    return total_ == 0 || !is_dense_ || has_memory(side_.data);
  }
  index_t total() const { return total_; }
  bool is_dense() const { return is_dense_; }

  // Calls visit(rank, packing) with places in `packed`, one block after the other.
  template <class Visit>
  void for_blocks(std::byte* packed, Visit visit) const {
    index_t at = 0;
    for (int r = 0; r < ranks_; ++r) {
      const index_t length = lengths_[as_size(r)];
      if (length > 0) visit(r, block(r, packed + at));
      at += length;
    }
  }

  void put_places_in_a_row() { std::exclusive_scan(lengths_.begin(), lengths_.end(), offsets_.begin(), index_t{0}); }

 private:
  bool measure_block(int r) {
    const index_t count = side_.counts[r];
    if (count < 0) return false;
    lengths_[as_size(r)] = offsets_[as_size(r)] = 0;
    if (count == 0) return true;  // whatever its type and place
    type_shape shape;
    if (!shape_of(r, shape)) return false;
    is_dense_ = is_dense_ && shape.is_dense;
    lengths_[as_size(r)] = count * shape.size;
    offsets_[as_size(r)] = side_.displs[r] * (side_.types != nullptr ? 1 : shape.extent);
    return true;
  }
  bool shape_of(int r, type_shape& shape) const {
    if (side_.types != nullptr) return find_shape(side_.types[r], shape);
    shape = shape_;
    return true;
  }
  packing block(int r, std::byte* packed) const {
    packing p{nullptr, side_.counts[r], side_.types != nullptr ? side_.types[r] : side_.type, {}, packed};
    static_cast<void>(shape_of(r, p.shape));
    const index_t offset = side_.displs[r] * (side_.types != nullptr ? 1 : p.shape.extent);
    p.loose = reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(side_.data) + offset);
    return p;
  }

  const side& side_;
  int ranks_;
  std::vector<index_t>&lengths_, &offsets_;
  type_shape shape_;
  index_t total_ = 0;
  bool is_dense_ = true;
};

// A side with a list that is read: in place, or packed.
const std::byte* input_of(listed_side& blocks, const side& s, job_memory& memory) {
  if (blocks.is_dense()) return bytes_of(s.data);
  memory.input.resize(as_size(blocks.total()));
  blocks.for_blocks(memory.input.data(), [&](int, const packing& p) { memory.to_pack.push_back(p); });
  blocks.put_places_in_a_row();
  return memory.input.data();
}

std::byte* output_of(listed_side& blocks, const side& s, int kept, job_memory& memory) {
  if (blocks.is_dense()) return bytes_of(s.data);
  memory.output.resize(as_size(blocks.total()));
  blocks.for_blocks(memory.output.data(),
                    [&](int r, const packing& p) { (r == kept ? memory.to_pack : memory.to_unpack).push_back(p); });
  blocks.put_places_in_a_row();
  return memory.output.data();
}

struct single_side {
  type_shape shape;
  index_t bytes = 0;
  bool measure(const side& s) {
    if (s.count < 0 || !find_shape(s.type, shape)) return false;
    bytes = s.count * shape.size;
    return bytes == 0 || !shape.is_dense || has_memory(s.data);
  }
  packing as_packing(const side& s, std::byte* packed) const { return {s.data, s.count, s.type, shape, packed}; }
};

bool take_single_input(const side& s, job& j, job_memory& memory) {
  single_side one;
  if (!one.measure(s)) return false;
  memory.send_bytes.assign(1, one.bytes);
  j.in = bytes_of(s.data);
  if (!one.shape.is_dense && one.bytes > 0) {
    memory.input.resize(as_size(one.bytes));
    memory.to_pack.push_back(one.as_packing(s, memory.input.data()));
    j.in = memory.input.data();
  }
  return true;
}

bool take_single_output(const side& s, job& j, job_memory& memory) {
  single_side one;
  if (!one.measure(s)) return false;
  memory.receive_bytes.assign(1, one.bytes);
  j.out = bytes_of(s.data);
  if (!one.shape.is_dense && one.bytes > 0) {
    memory.output.resize(as_size(one.bytes));
    memory.to_unpack.push_back(one.as_packing(s, memory.output.data()));
    j.out = memory.output.data();
  }
  return true;
}

// gatherv on the root, and allgatherv.
bool make_collected_lists(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  const bool is_kept = is_in_place(c.send);
  listed_side to(c.receive, ranks, memory.receive_bytes, memory.receive_offsets);
  if (!to.measure()) return false;
  j.out = output_of(to, c.receive, is_kept ? rank : -1, memory);
  std::byte* own = j.out + memory.receive_offsets[as_size(rank)];
  if (c.what == kind::allgatherv) j.bytes = to.total();
  if (is_kept) {
    memory.send_bytes.assign(1, memory.receive_bytes[as_size(rank)]);
    j.in = own;
    return true;
  }
  if (!take_single_input(c.send, j, memory) || memory.send_bytes[0] != memory.receive_bytes[as_size(rank)])
    return false;
  return !refuses_aliases || memory.send_bytes[0] == 0 || j.in != own;
}

bool make_gatherv(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  if (rank == c.root) return make_collected_lists(c, rank, ranks, j, memory);
  return !is_in_place(c.send) && take_single_input(c.send, j, memory);
}

bool make_scatterv(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  if (rank != c.root) return !is_in_place(c.receive) && take_single_output(c.receive, j, memory);
  listed_side from(c.send, ranks, memory.send_bytes, memory.send_offsets);
  if (!from.measure()) return false;
  j.in = input_of(from, c.send, memory);
  const std::byte* own = j.in + memory.send_offsets[as_size(rank)];
  if (is_in_place(c.receive)) {
    memory.receive_bytes.assign(1, memory.send_bytes[as_size(rank)]);
    j.out = const_cast<std::byte*>(own);
    return true;
  }
  if (!take_single_output(c.receive, j, memory) || memory.receive_bytes[0] != memory.send_bytes[as_size(rank)])
    return false;
  return !refuses_aliases || memory.receive_bytes[0] == 0 || j.out != own;
}

bool make_alltoallv(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  listed_side to(c.receive, ranks, memory.receive_bytes, memory.receive_offsets);
  if (!to.measure()) return false;
  if (is_in_place(c.send)) {
    memory.input.resize(as_size(to.total()));
    to.for_blocks(memory.input.data(), [&](int, const packing& p) { memory.to_pack.push_back(p); });
    memory.send_bytes = memory.receive_bytes;
    memory.send_offsets.resize(as_size(ranks));
    std::exclusive_scan(memory.send_bytes.begin(), memory.send_bytes.end(), memory.send_offsets.begin(), index_t{0});
    j.in = memory.input.data();
  } else {
    listed_side from(c.send, ranks, memory.send_bytes, memory.send_offsets);
    if (!from.measure()) return false;
    j.in = input_of(from, c.send, memory);
  }
  j.out = output_of(to, c.receive, -1, memory);
  if (memory.send_bytes[as_size(rank)] != memory.receive_bytes[as_size(rank)]) return false;
  const bool is_same = j.in == j.out && c.send.counts == c.receive.counts && c.send.type == c.receive.type &&
                       c.send.types == c.receive.types;
  const bool is_empty =
      std::all_of(memory.send_bytes.begin(), memory.send_bytes.end(), [](index_t n) { return n == 0; });
  return !refuses_aliases || !is_same || is_empty;  // ranks without data may give any address
}

}  // namespace

bool make_listed_blocks(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  for (auto* list : {&memory.send_bytes, &memory.send_offsets, &memory.receive_bytes, &memory.receive_offsets})
    list->clear();
  const bool is_made = c.what == kind::gatherv      ? make_gatherv(c, rank, ranks, j, memory)
                       : c.what == kind::scatterv   ? make_scatterv(c, rank, ranks, j, memory)
                       : c.what == kind::allgatherv ? make_collected_lists(c, rank, ranks, j, memory)
                                                    : make_alltoallv(c, rank, ranks, j, memory);
  if (!is_made || (c.what == kind::allgatherv && j.bytes == 0)) return false;
  j.blocks = {memory.send_bytes, memory.send_offsets, memory.receive_bytes, memory.receive_offsets};
  return true;
}

}  // namespace nearfar::collective
