// SPDX-License-Identifier: BSD-3-Clause
// The reductions of one node by name.
#include "table.hpp"

#include "in_place.hpp"
#include "lines.hpp"
#include "ordered.hpp"
#include "ring.hpp"
#include "tree.hpp"

namespace nearfar::collective {

namespace {

constexpr near::stores past_caches = near::stores::past_caches;

bool is_one_node(const setting& s) { return s.nodes == 1 && s.near_ranks > 1; }
bool fits_slot(const setting& s) { return is_one_node(s) && s.bytes <= node_segment::slot_bytes; }
bool fits_tree(const setting& s) { return is_one_node(s) && s.near_ranks >= 4 && s.bytes <= tree_bytes; }
bool fills_pieces(const setting& s) { return is_one_node(s) && s.bytes > 128; }
bool fills_large_pieces(const setting& s) { return is_one_node(s) && s.bytes > 32 << 10; }
bool fills_streams(const setting& s) { return is_one_node(s) && s.bytes >= 2 << 10; }
bool fills_stream_slices(const setting& s) { return fills_streams(s) && s.near_ranks > 2 && s.near_ranks <= 32; }
bool fills_slices(const setting& s) { return is_one_node(s) && s.near_ranks <= 32 && s.bytes > 4096; }
bool can_read(const setting& s) { return is_one_node(s) && s.has_process_reads && s.bytes >= 64 << 10; }
bool is_small_together(const setting& s) { return s.bytes * s.ranks <= 64 << 10; }
bool always(const setting&) { return true; }
bool is_large(const setting& s) { return is_one_node(s) && s.bytes >= 4096; }

}  // namespace

std::vector<algorithm> reductions_of_one_node() {
  std::vector<algorithm> all{
      {kind::allreduce, "near-lines", "contributions in cache lines with the call's number; all combine all", false,
       fits_slot, allreduce_by_lines},
      {kind::allreduce, "near-tree", "in cache lines, by groups that share a cache or of about sqrt(ranks): two levels",
       false, fits_tree, allreduce_by_tree},
      {kind::allreduce, "near-ring-8k", "copied into rings in pieces of 8 kB, three ahead; all combine all", true,
       fills_pieces, allreduce_by_ring<8 << 10, 3>},
      {kind::allreduce, "near-ring-32k", "copied into rings in pieces of 32 kB, two ahead; all combine all", true,
       fills_pieces, allreduce_by_ring<32 << 10, 2>},
      {kind::allreduce, "near-ring-128k", "copied into rings in pieces of 128 kB, one ahead; all combine all", true,
       fills_large_pieces, allreduce_by_ring<128 << 10, 1>},
      {kind::allreduce, "near-stream-32k", "like near-ring-32k, copied past the caches", true, fills_streams,
       allreduce_by_ring<32 << 10, 2, past_caches>},
      {kind::allreduce, "near-stream-128k", "like near-ring-128k, copied past the caches", true, fills_large_pieces,
       allreduce_by_ring<128 << 10, 1, past_caches>},
      {kind::allreduce, "near-slices", "copied into rings; each rank combines a slice, the others copy the result",
       true, fills_slices, allreduce_by_slices<near::stores::ordinary>},
      {kind::allreduce, "near-stream-slices", "like near-slices, copied past the caches", true, fills_stream_slices,
       allreduce_by_slices<past_caches>},
      {kind::allreduce, "near-cma", "each rank reads a slice of everybody's input in place (process_vm_readv)", false,
       can_read, allreduce_by_reads},
      {kind::allreduce, "near-direct", "buffers in near memory: a slice of all inputs is combined into all outputs",
       false, is_large, allreduce_direct, false},
      {kind::reduce, "near-lines", "contributions in cache lines with the call's number; the root combines", false,
       fits_slot, reduce_by_lines},
      {kind::reduce, "near-ring-8k", "copied into rings in pieces of 8 kB, three ahead; the root combines", true,
       fills_pieces, rooted_by_ring<8 << 10, 3>},
      {kind::reduce, "near-ring-64k", "copied into rings in pieces of 64 kB, two ahead; the root combines", true,
       fills_large_pieces, rooted_by_ring<64 << 10, 2>},
      {kind::reduce, "near-stream-64k", "like near-ring-64k, copied past the caches", true, fills_streams,
       rooted_by_ring<64 << 10, 2, past_caches>},
      {kind::scan, "near-lines", "contributions in cache lines; each rank combines those up to its own", false,
       fits_slot, scan_by_lines},
      {kind::scan, "near-ring-8k", "copied into rings in pieces of 8 kB; each rank combines those up to its own", true,
       fills_pieces, rooted_by_ring<8 << 10, 3>},
      {kind::scan, "near-ring-64k", "copied into rings in pieces of 64 kB; each rank combines those up to its own",
       true, fills_large_pieces, rooted_by_ring<64 << 10, 2>},
      {kind::scan, "near-stream-64k", "like near-ring-64k, copied past the caches", true, fills_streams,
       rooted_by_ring<64 << 10, 2, past_caches>},
      {kind::exscan, "near-lines", "contributions in cache lines; each rank combines those below its own", false,
       fits_slot, scan_by_lines},
      {kind::exscan, "near-ring-8k", "copied into rings in pieces of 8 kB; each rank combines those below its own",
       true, fills_pieces, rooted_by_ring<8 << 10, 3>},
      {kind::exscan, "near-ring-64k", "copied into rings in pieces of 64 kB; each rank combines those below its own",
       true, fills_large_pieces, rooted_by_ring<64 << 10, 2>},
      {kind::exscan, "near-stream-64k", "like near-ring-64k, copied past the caches", true, fills_streams,
       rooted_by_ring<64 << 10, 2, past_caches>},
  };
  for (algorithm& a : all) a.is_ordered = a.run != allreduce_by_tree;
  return all;
}

std::vector<algorithm> reductions_in_order() {
  const char* all = "all contributions travel by MPI and are combined in the order of ranks";
  const char* parts = "contributions to each part travel by MPI and are combined in the order of ranks";
  const char* slices = "slices of all contributions travel by MPI and are combined in the order of ranks";
  return {
      {kind::allreduce, "ordered-all", all, false, is_small_together, reduce_all_in_order, false, true},
      {kind::allreduce, "ordered-slices", slices, false, always, reduce_slices_in_order, false, true},
      {kind::reduce, "ordered-all", all, false, is_small_together, reduce_all_in_order, false, true},
      {kind::reduce, "ordered-slices", slices, false, always, reduce_slices_in_order, false, true},
      {kind::scan, "ordered-all", all, false, always, reduce_all_in_order, false, true},
      {kind::exscan, "ordered-all", all, false, always, reduce_all_in_order, false, true},
      {kind::reduce_scatter, "ordered-parts", parts, false, always, reduce_scatter_in_order, false, true},
      {kind::reduce_scatter_block, "ordered-parts", parts, false, always, reduce_scatter_in_order, false, true},
  };
}

}  // namespace nearfar::collective
