// SPDX-License-Identifier: BSD-3-Clause
// Marks go down the levels; what they demand of other ranks goes into messages, and so does what was split where others
// see it.
#include <algorithm>
#include <array>
#include <mesh/refinement.hpp>
#include <mesh/touching.hpp>
#include <nearfar/error.hpp>

namespace adaptive_heat {
namespace {

constexpr std::uint64_t is_split_now = key_end;  // in place of a cell

/// The leaves that a node becomes. Split nodes in Morton order come ancestors first, which is the order in which a
/// descent meets them.
void expand(std::uint64_t node, const codes& split, std::size_t& next, codes& leaves) {
  if (next == split.size() || split[next] != node) return leaves.push_back(node);
  ++next;
  for (int c = 0; c < 8; ++c) expand(child_of(node, c), split, next, leaves);
}

}  // namespace

void refinement::run(const hot_region& hot, int levels, const partition& parts, codes& leaves, codes* ghosts,
                     const std::string& complaint) {
  leaves_ = leaves;
  ghosts_ = ghosts != nullptr ? std::span<const std::uint64_t>(*ghosts) : std::span<const std::uint64_t>();
  tells_ = ghosts != nullptr && parts.ranks() > 1;
  news_.clear();
  marked_.resize(max_level), done_.resize(max_level);
  for (codes& c : done_) c.clear();
  if (complaint.empty())
    for (const std::uint64_t leaf : leaves)
      if (level_of(leaf) < levels) mark_touched(hot, octant::from_code(leaf), levels);
  for (;;) {
    demanded_ = 0;
    close(parts);
    std::array<std::int64_t, 2> sums{demanded_, complaint.empty() ? 0 : 1};
    const auto messages = talk_.deliver(sums);
    if (!complaint.empty()) throw nearfar::usage_error(complaint);
    if (sums[1] > 0)
      throw nearfar::usage_error(std::to_string(sums[1]) +
                                 " other ranks gave a ball or level for which there is no mesh");
    take(messages);
    if (sums[0] == 0) break;
  }
  split(leaves);
  if (tells_) follow(*ghosts, parts);
}

void refinement::mark_touched(const hot_region& hot, const octant& o, int levels) {
  if (o.level == levels || !hot.touches(o)) return;
  marked_[o.level].push_back(o.code());
  for (int c = 0; c < 8; ++c) mark_touched(hot, o.child(c), levels);
}

/// Meets the demands of all marked nodes, and of those that they mark in turn.
void refinement::close(const partition& parts) {
  for (std::size_t level = marked_.size(); level-- > 0;) {
    codes& fresh = marked_[level];
    if (fresh.empty()) continue;
    sort_unique(fresh);
    std::erase_if(fresh, [&](std::uint64_t node) { return has(done_[level], node); });
    merge_into(done_[level], fresh);
    if (tells_) tell_others(fresh, parts);
    if (level > 0) {
      demands_.clear();
      for (const std::uint64_t node : fresh) demand_around(octant::from_code(node));
      std::sort(demands_.begin(), demands_.end());
      const demand* last = nullptr;
      for (const demand& d : demands_) {
        if (last == nullptr || last->node != d.node) meet(d, parts);
        last = &d;
      }
    }
    fresh.clear();
  }
}

/// The parents of the 18 neighbours of a child are its own parent and the parent's neighbours on the child's side:
/// three over faces and three over edges. The own parent needs no demand: the descent to a touched node marks it, and
/// for a node that a finer one demands, that one's parent is marked, too, or refined long since, and has demanded it.
void refinement::demand_around(const octant& o) {
  const octant parent = o.parent();
  const auto outward = [&](int bit) { return static_cast<std::int8_t>((o.child_index() & bit) != 0 ? 1 : -1); };
  const std::int8_t x = outward(1), y = outward(2), z = outward(4);
  const auto touching = [&](std::uint32_t at, std::int8_t by) { return by > 0 ? at + o.side() : by < 0 ? at - 1 : at; };
  const direction sides[] = {{x, 0, 0}, {0, y, 0}, {0, 0, z}, {x, y, 0}, {x, 0, z}, {0, y, z}};
  for (const direction d : sides)
    if (parent.has_neighbour(d))
      demands_.push_back({parent.neighbour(d).code(),
                          octant{touching(o.x, d.x), touching(o.y, d.y), touching(o.z, d.z), max_level}.key()});
}

bool refinement::is_local_leaf_too_coarse(std::uint64_t node, std::uint64_t cell) const {
  const std::size_t i = leaf_at(leaves_, cell);
  return i < leaves_.size() && level_of(leaves_[i]) <= level_of(node);
}

void refinement::meet(const demand& d, const partition& parts) {
  if (parts.owns(rank_, d.cell)) {
    if (is_local_leaf_too_coarse(d.node, d.cell)) marked_[static_cast<std::size_t>(level_of(d.node))].push_back(d.node);
    return;
  }
  // Since leaves only get finer meanwhile, a ghost that is fine enough stays so.
  const std::size_t i = leaf_at(ghosts_, d.cell);
  if (i < ghosts_.size() && level_of(ghosts_[i]) > level_of(d.node)) return;
  ++demanded_;
  const int owner = parts.owner(d.cell);
  talk_.put(owner, d.node);
  talk_.put(owner, d.cell);
}

void refinement::take(std::span<const nearfar::sparse_exchange::message> messages) {
  for (const auto& m : messages) {
    const auto words = m.as<std::uint64_t>();
    for (std::size_t i = 0; i + 1 < words.size(); i += 2)
      if (words[i + 1] == is_split_now)
        news_.push_back(words[i]);
      else if (is_local_leaf_too_coarse(words[i], words[i + 1]))
        marked_[static_cast<std::size_t>(level_of(words[i]))].push_back(words[i]);
  }
}

/// Those that see a node. What they see matters once all is split: it comes with the last messages at the latest, and
/// asks for no more.
void refinement::tell_others(const codes& split, const partition& parts) {
  touching_ranks touching(parts, rank_);
  for (const std::uint64_t node : split) {
    around_.clear();
    touching.find(octant::from_code(node), around_);
    std::sort(around_.begin(), around_.end());
    around_.erase(std::unique(around_.begin(), around_.end()), around_.end());
    for (const int r : around_) {
      talk_.put(r, node);
      talk_.put(r, is_split_now);
    }
  }
}

void refinement::split(codes& leaves) {
  all_done_.clear();
  for (const codes& c : done_) all_done_.insert(all_done_.end(), c.begin(), c.end());
  if (all_done_.empty()) return;
  std::sort(all_done_.begin(), all_done_.end());
  split_leaves_.clear();
  std::size_t next = 0;
  for (const std::uint64_t leaf : leaves) expand(leaf, all_done_, next, split_leaves_);
  leaves.swap(split_leaves_);
}

/// Of what a ghost was split into, ghosts are those leaves that touch this rank's cells.
void refinement::follow(codes& ghosts, const partition& parts) {
  if (news_.empty()) return;
  sort_unique(news_);
  split_leaves_.clear();
  std::size_t next = 0;
  for (const std::uint64_t ghost : ghosts) {
    const std::size_t first = split_leaves_.size();
    expand(ghost, news_, next, split_leaves_);
    if (split_leaves_.size() - first == 1) continue;
    touching_ranks touching(parts, parts.owner(key_of(ghost)));
    const auto is_far = [&](std::uint64_t leaf) {
      around_.clear();
      touching.find(octant::from_code(leaf), around_);
      return std::find(around_.begin(), around_.end(), rank_) == around_.end();
    };
    const auto begin = split_leaves_.begin() + static_cast<std::ptrdiff_t>(first);
    split_leaves_.erase(std::remove_if(begin, split_leaves_.end(), is_far), split_leaves_.end());
  }
  ghosts.swap(split_leaves_);
}

}  // namespace adaptive_heat
