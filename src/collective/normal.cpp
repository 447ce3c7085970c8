// SPDX-License-Identifier: BSD-3-Clause
// What each kind of call means in bytes.
#include "normal.hpp"

#include <cstring>

namespace nearfar::collective {

namespace {

constexpr index largest_element = 4096;  // of a reduction: pieces hold at least two

std::byte* bytes_of(void* p) { return static_cast<std::byte*>(p); }
bool is_in_place(const side& s) { return s.data == MPI_IN_PLACE; }

bool make_reduction(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  const side& to = c.receive;
  const bool is_here = c.what != kind::reduce || rank == c.root;
  if (to.type == MPI_DATATYPE_NULL || c.op == MPI_OP_NULL || c.root < 0 || c.root >= ranks) return false;
  j.op = reduction::reducer::of(c.op, to.type);
  if (!j.op.is_valid() || !j.op.is_dense() || j.op.element_bytes() <= 0 || j.op.element_bytes() > largest_element)
    return false;
  j.count = to.count;
  if (c.what == kind::reduce_scatter_block) j.count *= ranks;
  if (c.what == kind::reduce_scatter) {
    if (!to.counts) return false;
    auto& lengths = memory.lists[0];
    lengths.resize(as_size(ranks));
    j.count = 0;
    for (int r = 0; r < ranks; ++r) {
      if (to.counts[r] < 0) return false;
      lengths[as_size(r)] = to.counts[r] * j.op.element_bytes();
      j.count += to.counts[r];
    }
    j.blocks.receive_bytes = lengths;
  }
  if (j.count <= 0) return false;
  j.bytes = j.count * j.op.element_bytes();
  j.out = is_here ? bytes_of(to.data) : nullptr;
  if (is_in_place(c.send) && !is_here) return false;
  j.in = is_in_place(c.send) ? j.out : bytes_of(c.send.data);
  if (j.in == nullptr || (is_here && j.out == nullptr)) return false;
  return j.in != j.out || is_in_place(c.send);
}

bool make_bcast(const call& c, int ranks, job& j) {
  const index element = contiguous_bytes(c.receive.type);
  if (element <= 0 || c.receive.count <= 0 || c.root < 0 || c.root >= ranks) return false;
  j.bytes = element * c.receive.count;
  j.in = j.out = bytes_of(c.receive.data);
  return j.out != nullptr;
}

}  // namespace

index contiguous_bytes(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return -1;
  int integers = 0, addresses = 0, types = 0, combiner = 0, size = 0;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED) return -1;
  MPI_Aint low = 0, extent = 0;
  MPI_Type_size(type, &size);
  MPI_Type_get_extent(type, &low, &extent);
  return low == 0 && extent == size ? size : -1;
}

bool make_job(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  j.what = c.what;
  j.root = c.root;
  switch (c.what) {
    case kind::barrier:
      return true;
    case kind::bcast:
      return make_bcast(c, ranks, j);
    case kind::reduce:
    case kind::allreduce:
    case kind::scan:
    case kind::exscan:
    case kind::reduce_scatter:
    case kind::reduce_scatter_block:
      return make_reduction(c, rank, ranks, j, memory);
    default:
      return false;
  }
}

int finish_job(const call&, const job&, const job_memory&) { return MPI_SUCCESS; }

}  // namespace nearfar::collective
