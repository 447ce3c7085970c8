// SPDX-License-Identifier: BSD-3-Clause
// Each kind of call as bytes.
#include "normal.hpp"

#include "normal_blocks.hpp"

namespace nearfar::collective {

namespace {

constexpr index_t largest_element = 4096;  // of a reduction: pieces hold at least two

// The parts of reduce_scatter, which every rank knows.
bool list_parts(const call& c, int ranks, job& j, job_memory& memory) {
  if (!c.receive.counts) return false;
  j.count = 0;
  memory.send_bytes.resize(as_size(ranks));
  memory.send_offsets.resize(as_size(ranks));
  for (int r = 0; r < ranks; ++r) {
    const index_t count = c.receive.counts[r];
    if (count < 0) return false;
    memory.send_bytes[as_size(r)] = count * j.op.element_bytes();
    memory.send_offsets[as_size(r)] = j.count * j.op.element_bytes();
    j.count += count;
  }
  j.blocks = {memory.send_bytes, memory.send_offsets, memory.send_bytes, memory.send_offsets};
  return true;
}

// One buffer for input and result, given without MPI_IN_PLACE: what the MPI does not refuse it takes as in place.
constexpr bool refuses_same_buffer(kind what) { return refuses_aliases || what == kind::reduce; }

// Where a rank's part overlaps with what it sends, the input is kept elsewhere.
void keep_input(job& j, job_memory& memory) {
  memory.input.resize(as_size(j.bytes));
  memory.to_pack.push_back({const_cast<std::byte*>(j.in), j.bytes, MPI_BYTE, {1, 1, true}, memory.input.data()});
  j.in = memory.input.data();
}

bool make_reduction(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  const side& to = c.receive;
  bool is_here = has_result(c, rank);
  if (to.type == MPI_DATATYPE_NULL || c.op == MPI_OP_NULL) return false;
  j.op = reduction::reducer::of(c.op, to.type);
  if (!j.op.is_valid() || !j.op.is_dense() || j.op.element_bytes() <= 0 || j.op.element_bytes() > largest_element)
    return false;
  j.count = to.count;
  if (c.what == kind::reduce_scatter_block) j.count *= ranks;
  if (c.what == kind::reduce_scatter) {
    if (!list_parts(c, ranks, j, memory)) return false;
    is_here = memory.send_bytes[as_size(rank)] > 0 || is_in_place(c.send);
  }
  if (j.count <= 0) return false;
  j.bytes = j.count * j.op.element_bytes();
  if (is_in_place(c.send) && c.what == kind::reduce && !is_here) return false;
  j.out = is_here ? bytes_of(to.data) : nullptr;
  j.in = bytes_of(is_in_place(c.send) ? to.data : c.send.data);
  if (!has_memory(j.in) || (is_here && !has_memory(j.out))) return false;
  if (j.in == j.out && !is_in_place(c.send) && refuses_same_buffer(c.what)) return false;
  if (j.in == j.out && c.what == kind::reduce_scatter) keep_input(j, memory);
  return true;
}

bool make_bcast(const call& c, int rank, job& j, job_memory& memory) {
  const side& s = c.receive;
  type_shape shape;
  if (s.count <= 0 || !find_shape(s.type, shape) || shape.size <= 0) return false;
  j.bytes = shape.size * s.count;
  if (shape.is_dense) {
    j.in = j.out = bytes_of(s.data);
    return has_memory(j.out);
  }
  memory.output.resize(as_size(j.bytes));
  j.in = j.out = memory.output.data();
  const packing all{s.data, s.count, s.type, shape, j.out};
  (rank == c.root ? memory.to_pack : memory.to_unpack).push_back(all);
  return true;
}

}  // namespace

bool make_job(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  j = {};
  j.what = c.what;
  j.root = c.root;
  memory.to_pack.clear();
  memory.to_unpack.clear();
  if (c.root < 0 || c.root >= ranks) return false;
  switch (c.what) {
    case kind::barrier:
      return true;
    case kind::bcast:
      return make_bcast(c, rank, j, memory);
    case kind::reduce:
    case kind::allreduce:
    case kind::scan:
    case kind::exscan:
    case kind::reduce_scatter:
    case kind::reduce_scatter_block:
      return make_reduction(c, rank, ranks, j, memory);
    case kind::gather:
    case kind::scatter:
    case kind::allgather:
    case kind::alltoall:
      return make_equal_blocks(c, rank, ranks, j, memory);
    default:
      return make_listed_blocks(c, rank, ranks, j, memory);
  }
}

call_claim claim_of(const job& j) {
  call_claim made{true, j.what, is_rooted(j.what) ? j.root : 0, j.bytes};
  if (j.what == kind::gatherv && !j.blocks.send_bytes.empty()) made.bytes = j.blocks.send_bytes[0];
  if (j.what == kind::allgatherv || j.what == kind::reduce_scatter)  // every rank knows the whole list
    for (const index_t length : j.blocks.receive_bytes) made.list = made.list * 31 + static_cast<std::uint64_t>(length);
  return made;
}

void prepare_job(job_memory& memory) {
  for (const packing& p : memory.to_pack) pack(p);
  memory.to_pack.clear();
}

int finish_job(const call&, const job&, const job_memory& memory) {
  for (const packing& p : memory.to_unpack) unpack(p);
  return MPI_SUCCESS;
}

}  // namespace nearfar::collective
