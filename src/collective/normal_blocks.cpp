// SPDX-License-Identifier: BSD-3-Clause
// Blocks of one length: a side is one array of elements, wherever its blocks go.
#include "normal_blocks.hpp"

namespace nearfar::collective {

namespace {

struct measured {
  type_shape shape;
  index_t bytes = 0;  // of one block
};

bool measure_side(const side& s, measured& m) {
  if (s.count <= 0 || !find_shape(s.type, m.shape)) return false;
  m.bytes = s.count * m.shape.size;
  return m.bytes > 0 && (!m.shape.is_dense || has_memory(s.data));
}

const std::byte* input_of(const side& s, const measured& m, index_t blocks, job_memory& memory) {
  if (m.shape.is_dense) return bytes_of(s.data);
  memory.input.resize(as_size(m.bytes * blocks));
  memory.to_pack.push_back({s.data, s.count * blocks, s.type, m.shape, memory.input.data()});
  return memory.input.data();
}

// Parts of the receive buffer, by blocks.
packing part_of(const side& s, const measured& m, index_t first, index_t blocks, std::byte* packed) {
  auto* at = reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(s.data) + first * s.count * m.shape.extent);
  return {at, s.count * blocks, s.type, m.shape, packed + first * m.bytes};
}

// `kept`: a block that stays as it is, or -1.
std::byte* output_of(const side& s, const measured& m, index_t blocks, index_t kept, job_memory& memory) {
  if (m.shape.is_dense) return bytes_of(s.data);
  memory.output.resize(as_size(m.bytes * blocks));
  std::byte* packed = memory.output.data();
  const index_t before = kept < 0 ? blocks : kept;
  if (before > 0) memory.to_unpack.push_back(part_of(s, m, 0, before, packed));
  if (kept >= 0 && kept + 1 < blocks) memory.to_unpack.push_back(part_of(s, m, kept + 1, blocks - kept - 1, packed));
  return packed;
}

// gather on the root, and allgather.
bool make_collected_blocks(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  const bool is_kept = is_in_place(c.send);
  measured to, from;
  if (!measure_side(c.receive, to)) return false;
  j.bytes = to.bytes;
  j.out = output_of(c.receive, to, ranks, is_kept ? rank : -1, memory);
  std::byte* own = j.out + rank * j.bytes;
  if (is_kept) {
    if (!to.shape.is_dense && c.what == kind::allgather)
      memory.to_pack.push_back(part_of(c.receive, to, rank, 1, j.out));
    j.in = own;
    return true;
  }
  if (!measure_side(c.send, from) || from.bytes != to.bytes) return false;
  j.in = input_of(c.send, from, 1, memory);
  return !refuses_aliases || j.in != own;
}

bool make_gather(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  if (rank == c.root) return make_collected_blocks(c, rank, ranks, j, memory);
  measured from;
  if (is_in_place(c.send) || !measure_side(c.send, from)) return false;
  j.bytes = from.bytes;
  j.in = input_of(c.send, from, 1, memory);
  return true;
}

bool make_scatter(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  measured from, to;
  if (rank == c.root) {
    if (!measure_side(c.send, from)) return false;
    j.bytes = from.bytes;
    j.in = input_of(c.send, from, ranks, memory);
    if (is_in_place(c.receive)) {
      j.out = const_cast<std::byte*>(j.in) + rank * j.bytes;
      return true;
    }
  }
  if (is_in_place(c.receive) || !measure_side(c.receive, to)) return false;
  if (rank == c.root && from.bytes != to.bytes) return false;
  j.bytes = to.bytes;
  j.out = output_of(c.receive, to, 1, -1, memory);
  return !refuses_aliases || rank != c.root || j.out != j.in + rank * j.bytes;
}

bool make_alltoall(const call& c, int ranks, job& j, job_memory& memory) {
  measured from, to;
  if (!measure_side(c.receive, to)) return false;
  j.bytes = to.bytes;
  j.out = output_of(c.receive, to, ranks, -1, memory);
  if (is_in_place(c.send)) {
    memory.input.resize(as_size(j.bytes * ranks));
    memory.to_pack.push_back({c.receive.data, c.receive.count * ranks, c.receive.type, to.shape, memory.input.data()});
    j.in = memory.input.data();
    return true;
  }
  if (!measure_side(c.send, from) || from.bytes != to.bytes) return false;
  j.in = input_of(c.send, from, ranks, memory);
  const bool is_same = j.in == j.out && c.send.type == c.receive.type && c.send.count == c.receive.count;
  return !refuses_aliases || !is_same;
}

}  // namespace

bool make_equal_blocks(const call& c, int rank, int ranks, job& j, job_memory& memory) {
  switch (c.what) {
    case kind::gather:
      return make_gather(c, rank, ranks, j, memory);
    case kind::scatter:
      return make_scatter(c, rank, ranks, j, memory);
    case kind::allgather:
      return make_collected_blocks(c, rank, ranks, j, memory);
    default:
      return make_alltoall(c, ranks, j, memory);
  }
}

}  // namespace nearfar::collective
