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
  static constexpr cut_case allreduce_rings[] = {
      {{8 << 10, 3}, fills_pieces}, {{32 << 10, 2}, fills_pieces}, {{128 << 10, 1}, fills_large_pieces}};
  static constexpr cut_case allreduce_streams[] = {{{32 << 10, 2, past_caches}, fills_streams},
                                                   {{128 << 10, 1, past_caches}, fills_large_pieces}};
  static constexpr cut_case rings[] = {{{8 << 10, 3}, fills_pieces}, {{64 << 10, 2}, fills_large_pieces}};
  static constexpr cut_case streams[] = {{{64 << 10, 2, past_caches}, fills_streams}};
  static_assert(fit_ring(allreduce_rings) && fit_ring(allreduce_streams) && fit_ring(rings) && fit_ring(streams));
  const std::string in = "copied into rings in pieces of *; ",
                    streamed = "copied past the caches into rings in pieces of *; ";
  std::vector<algorithm> all{
      {kind::allreduce, "near-lines", "contributions in cache lines with the call's number; all combine all", false,
       fits_slot, allreduce_by_lines},
      {kind::allreduce, "near-tree", "in cache lines, by groups that share a cache or of about sqrt(ranks): two levels",
       false, fits_tree, allreduce_by_tree},
  };
  add_cuts(all, {kind::allreduce, "near-ring", in + "all combine all", true, nullptr, allreduce_by_ring},
           allreduce_rings);
  add_cuts(all, {kind::allreduce, "near-stream", streamed + "all combine all", true, nullptr, allreduce_by_ring},
           allreduce_streams);
  all.insert(
      all.end(),
      {{kind::allreduce, "near-slices", "copied into rings; each rank combines a slice, the others copy the result",
        true, fills_slices, allreduce_by_slices},
       {kind::allreduce,
        "near-stream-slices",
        "like near-slices, copied past the caches",
        true,
        fills_stream_slices,
        allreduce_by_slices,
        true,
        false,
        {0, 0, past_caches}},
       {kind::allreduce, "near-cma", "each rank reads a slice of everybody's input in place (process_vm_readv)", false,
        can_read, allreduce_by_reads},
       {kind::allreduce, "near-direct", "buffers in near memory: a slice of all inputs is combined into all outputs",
        false, is_large, allreduce_direct, false}});
  const auto add_rooted = [&](kind what, const std::string& who, auto by_lines) {
    all.push_back({what, "near-lines", "contributions in cache lines; " + who, false, fits_slot, by_lines});
    add_cuts(all, {what, "near-ring", in + who, true, nullptr, rooted_by_ring}, rings);
    add_cuts(all, {what, "near-stream", streamed + who, true, nullptr, rooted_by_ring}, streams);
  };
  add_rooted(kind::reduce, "the root combines", reduce_by_lines);
  add_rooted(kind::scan, "each rank combines those up to its own", scan_by_lines);
  add_rooted(kind::exscan, "each rank combines those below its own", scan_by_lines);
  for (algorithm& a : all) a.is_ordered = a.body != allreduce_by_tree;
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
