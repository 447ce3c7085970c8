// SPDX-License-Identifier: BSD-3-Clause
// Messages between pairs of nodes, packed and unpacked in near memory.
#include "pairs.hpp"

#include <base/internals.hpp>
#include <topology/team_state.hpp>

#include "pair_exchange.hpp"
#include "staging_area.hpp"

namespace nearfar::collective {

namespace {

using part_list = block_list<const std::byte>;

// The parts of the vector that is reduced, by team rank.
part_list parts_of(const job& j, int ranks) {
  if (j.what == kind::reduce_scatter_block) return equal_blocks(j.in, j.bytes / ranks);
  return {j.in, 0, 0, j.blocks.send_bytes.data(), j.blocks.send_offsets.data()};
}

// The same piece of every part, where staging areas cannot hold all of it.
class slices {
 public:
  slices(const part_list& parts, int ranks) : parts_(parts), lengths_(as_size(ranks)), offsets_(as_size(ranks)) {
    for (int r = 0; r < ranks; ++r) longest_ = std::max(longest_, parts.length(r));
  }
  index_t longest() const { return longest_; }
  /// Valid until the next.
  part_list slice(index_t at, index_t bytes) {
    for (std::size_t r = 0; r < lengths_.size(); ++r) {
      const auto rank = static_cast<int>(r);
      lengths_[r] = std::clamp<index_t>(parts_.length(rank) - at, 0, bytes);
      offsets_[r] = parts_.at(rank) - parts_.base + at;
    }
    return {parts_.base, 0, 0, lengths_.data(), offsets_.data()};
  }

 private:
  part_list parts_;
  index_t longest_ = 0;
  std::vector<index_t> lengths_, offsets_;
};

// A slice: combined on the node, exchanged, combined again into `out`.
void reduce_scatter_slice(workspace& work, const job& j, const part_list& parts, std::byte* out) {
  node_segment& h = *work.near;
  const inter_node& between = *work.far;
  const int rank = work.members.rank(), ranks = work.members.size();
  const auto bytes_for = [&](int node) { return bytes_of(parts, between.ranks_of(node)); };
  std::vector<index_t> displs(as_size(ranks) + 1, 0);
  for (int r = 0; r < ranks; ++r) displs[as_size(r) + 1] = displs[as_size(r)] + parts.length(r);
  staging_area near(h, displs.back());
  pair_exchange pairs(work, bytes_for, [&](int) { return bytes_for(between.node()); });
  for (int r = 0; r < ranks; ++r) copy_block(near.mine() + displs[as_size(r)], parts.at(r), parts.length(r));
  near.publish();
  std::vector<const std::byte*> from(as_size(std::max(h.size(), between.nodes())));
  const auto combine_near = [&](int of, std::byte* to) {
    for (int r = 0; r < h.size(); ++r)
      from[as_size(r)] = (r == h.rank() ? near.mine() : near.theirs(r)) + displs[as_size(of)];
    if (parts.length(of) > 0) j.op.combine_all(to, from.data(), h.size(), parts.length(of) / j.op.element_bytes());
  };
  for (int node = 0; node < between.nodes(); ++node) {
    if (!pairs.is_mine(node)) continue;
    std::byte* to = pairs.to_send(node);
    for (const int of : between.ranks_of(node)) {
      combine_near(of, to);
      to += parts.length(of);
    }
    pairs.send(node, bytes_for(node));
  }
  combine_near(rank, out);
  pairs.finish();
  const auto here = between.ranks_of(between.node());
  const index_t before = bytes_of(parts, here.first(as_size(h.rank()))), own = parts.length(rank);
  for (int node = 0; node < between.nodes(); ++node)
    from[as_size(node)] = node == between.node() ? out : pairs.message_from(node) + before;
  if (own > 0) j.op.combine_all(out, from.data(), between.nodes(), own / j.op.element_bytes());
  near.leave();
  pairs.leave();
}

}  // namespace

void alltoall_by_pairs(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  const inter_node& between = *work.far;
  const index_t row = between.near_size(between.node()) * j.bytes;
  staging_area near(h, j.bytes * work.members.size());
  const auto both_directions = [&](int node) { return between.near_size(node) * row; };
  pair_exchange pairs(work, both_directions, both_directions);
  near.write(j.in, j.bytes * work.members.size());
  for (int node = 0; node < between.nodes(); ++node) {
    if (!pairs.is_mine(node)) continue;
    const auto ranks = between.ranks_of(node);
    for (int r = 0; r < h.size(); ++r)
      pack_blocks(pairs.to_send(node) + r * as_index(ranks.size()) * j.bytes,
                  equal_blocks(r == h.rank() ? j.in : near.theirs(r), j.bytes), ranks);
    pairs.send(node, both_directions(node));
  }
  const int rank = work.members.rank();
  const auto here = between.ranks_of(between.node());
  for (int r = 0; r < h.size(); ++r) {
    const std::byte* from = (r == h.rank() ? j.in : near.theirs(r)) + rank * j.bytes;
    std::memcpy(j.out + here[as_size(r)] * j.bytes, from, as_size(j.bytes));
  }
  pairs.finish();
  for (int node = 0; node < between.nodes(); ++node) {
    if (node == between.node()) continue;
    const std::byte* from = pairs.message_from(node) + h.rank() * j.bytes;
    for (const int r : between.ranks_of(node)) {
      std::memcpy(j.out + r * j.bytes, from, as_size(j.bytes));
      from += row;
    }
  }
  near.leave();
  pairs.leave();
  h.all_arrived();
}

void reduce_scatter_by_pairs(workspace& work, const job& j) {
  node_segment& h = *work.near;
  h.begin();
  slices all(parts_of(j, work.members.size()), work.members.size());
  const index_t most = staging_bytes / (index_t{work.far->nodes()} * state_of(work.members).largest_node);
  const index_t piece = all.longest() <= most ? all.longest() : most / j.op.element_bytes() * j.op.element_bytes();
  for (index_t at = 0; at < all.longest(); at += piece)
    reduce_scatter_slice(work, j, all.slice(at, piece), j.out == nullptr ? nullptr : j.out + at);
  h.all_arrived();
}

}  // namespace nearfar::collective
