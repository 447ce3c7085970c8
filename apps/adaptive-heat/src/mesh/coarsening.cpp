// SPDX-License-Identifier: BSD-3-Clause
// Merges from the finest level up; messages say "merged" (even words) and "my part is ready" (odd words).
#include <algorithm>
#include <array>
#include <mesh/coarsening.hpp>
#include <mesh/touching.hpp>

namespace adaptive_heat {

namespace {

std::uint64_t word_of(std::uint64_t node, bool is_vote) { return node << 1 | (is_vote ? 1U : 0U); }

}  // namespace

coarsening::outcome coarsening::run(const hot_region& hot, const partition& parts, codes& leaves,
                                    std::span<const int> partners, codes& ghosts, std::int64_t splits) {
  parts_ = &parts, partners_ = partners;
  has_crossed_ = false;
  start(hot, leaves, ghosts);
  constexpr std::size_t counts = 3;
  std::vector<std::int64_t> sums(counts + static_cast<std::size_t>(parts.ranks()));
  for (;;) {
    sweep(hot);
    cast_votes();
    apply(leaves);
    std::fill(sums.begin(), sums.end(), 0);
    sums[0] = talk_.appended_bytes(), sums[1] = has_crossed_ ? 1 : 0, sums[2] = splits;
    sums[counts + static_cast<std::size_t>(rank_)] = static_cast<std::int64_t>(leaves.size());
    const auto messages = talk_.deliver(sums);
    if (sums[0] == 0) break;
    take(messages);
  }
  if (sums[1] == 0) follow(ghosts);
  return {sums[1] > 0, sums[2], {sums.begin() + counts, sums.end()}};
}

/// Ghosts of lower ranks come before a rank's leaves along the curve, those of higher ranks after them.
void coarsening::start(const hot_region& hot, const codes& leaves, std::span<const std::uint64_t> ghosts) {
  const std::size_t lower = lower_position(ghosts, code_of(parts_->begin(rank_), 0));
  const auto split = ghosts.begin() + static_cast<std::ptrdiff_t>(lower);
  all_.assign(ghosts.begin(), split);
  all_.insert(all_.end(), leaves.begin(), leaves.end());
  all_.insert(all_.end(), split, ghosts.end());
  first_ = lower, last_ = lower + leaves.size();
  octets_.resize(max_level + 1), merged_.resize(max_level + 1);
  for (codes& c : octets_) c.clear();
  for (codes& c : merged_) c.clear();
  shared_nodes_.clear(), votes_.clear();
  find_octets(hot);
  find_shared_nodes(hot);
}

void coarsening::find_octets(const hot_region& hot) {
  for (std::size_t i = first_; i + 8 <= last_;) {
    const std::uint64_t leaf = all_[i];
    if (level_of(leaf) == 0 || child_index_of(leaf) != 0 || all_[i + 7] != child_of(parent_of(leaf), 7)) {
      ++i;
      continue;
    }
    const std::uint64_t parent = parent_of(leaf);
    if (!hot.touches(octant::from_code(parent))) octets_[static_cast<std::size_t>(level_of(parent))].push_back(parent);
    i += 8;
  }
}

/// What this rank shares with others contains its first leaf or its last.
void coarsening::find_shared_nodes(const hot_region& hot) {
  if (first_ == last_ || parts_->ranks() == 1) return;
  add_shared_nodes(hot, all_[first_]);
  add_shared_nodes(hot, all_[last_ - 1]);
  const auto is_finer = [](const shared_node& a, const shared_node& c) {
    return level_of(a.node) != level_of(c.node) ? level_of(a.node) > level_of(c.node) : a.node < c.node;
  };
  std::sort(shared_nodes_.begin(), shared_nodes_.end(), is_finer);
  const auto is_same = [](const shared_node& a, const shared_node& c) { return a.node == c.node; };
  shared_nodes_.erase(std::unique(shared_nodes_.begin(), shared_nodes_.end(), is_same), shared_nodes_.end());
}

void coarsening::add_shared_nodes(const hot_region& hot, std::uint64_t leaf) {
  for (int level = level_of(leaf) - 1; level >= 0; --level) {
    const std::uint64_t node = ancestor_of(leaf, level);
    if (is_mine(node)) continue;
    if (hot.touches(octant::from_code(node))) return;  // and so do all its ancestors
    shared_nodes_.push_back({node, false});
  }
}

bool coarsening::is_mine(std::uint64_t node) const {
  return key_of(node) >= parts_->begin(rank_) && end_key_of(node) <= parts_->end(rank_);
}

bool coarsening::reaches_here(std::uint64_t node) const {
  return key_of(node) < parts_->end(rank_) && end_key_of(node) > parts_->begin(rank_);
}

void coarsening::sweep(const hot_region& hot) {
  for (std::size_t level = octets_.size(); level-- > 0;)
    if (!octets_[level].empty()) sweep_level(hot, level);
}

void coarsening::sweep_level(const hot_region& hot, std::size_t level) {
  fresh_.clear(), kept_.clear();
  for (const std::uint64_t node : octets_[level]) (is_blocked(node) ? kept_ : fresh_).push_back(node);
  octets_[level].swap(kept_);
  if (fresh_.empty()) return;
  std::sort(fresh_.begin(), fresh_.end());
  merge_into(merged_[level], fresh_);
  std::uint64_t last_parent = code_of(key_end, 0);
  for (const std::uint64_t node : fresh_) {
    if (parts_->ranks() > 1) tell_others(node);
    if (level == 0 || parent_of(node) == last_parent) continue;
    last_parent = parent_of(node);
    consider_parent(hot, node);
  }
}

void coarsening::consider_parent(const hot_region& hot, std::uint64_t child) {
  const std::uint64_t parent = parent_of(child);
  if (!is_mine(parent) || hot.touches(octant::from_code(parent))) return;
  for (int c = 0; c < 8; ++c)
    if (!is_leaf(child_of(parent, c))) return;
  octets_[static_cast<std::size_t>(level_of(parent))].push_back(parent);
}

/// Whether a node of this rank is a leaf, or was one before its parent was merged.
bool coarsening::is_leaf(std::uint64_t node) const {
  return has({all_.data() + first_, last_ - first_}, node) ||
         has(merged_[static_cast<std::size_t>(level_of(node))], node);
}

bool coarsening::is_refined(std::uint64_t node) const {
  return first_inside(all_, node) < all_.size() && !has(merged_[static_cast<std::size_t>(level_of(node))], node);
}

/// Whether something across a face or an edge of the node is finer than the node's children. What cannot be seen from
/// here does not touch this rank's part of the node.
bool coarsening::is_blocked(std::uint64_t node) const {
  const octant o = octant::from_code(node);
  const auto blocks = [&](direction d) { return o.has_neighbour(d) && has_fine_children(o.neighbour(d).code(), d); };
  return std::any_of(face_directions.begin(), face_directions.end(), blocks) ||
         std::any_of(edge_directions.begin(), edge_directions.end(), blocks);
}

bool coarsening::has_fine_children(std::uint64_t neighbour, direction from) const {
  const std::size_t i = first_inside(all_, neighbour);
  if (i == all_.size()) return false;
  if (is_octet_at(i, neighbour) || has(merged_[static_cast<std::size_t>(level_of(neighbour))], neighbour)) return false;
  const auto is_there = [](int bit, std::int8_t d) { return d == 0 || (d > 0) == (bit == 0); };
  for (int c = 0; c < 8; ++c)
    if (is_there(c & 1, from.x) && is_there(c & 2, from.y) && is_there(c & 4, from.z) &&
        is_refined(child_of(neighbour, c)))
      return true;
  return false;
}

/// All eight: where ghosts are missing, the first and the last alone would prove nothing.
bool coarsening::is_octet_at(std::size_t first, std::uint64_t parent) const {
  if (first + 8 > all_.size()) return false;
  for (int c = 0; c < 8; ++c)
    if (all_[first + static_cast<std::size_t>(c)] != child_of(parent, c)) return false;
  return true;
}

void coarsening::cast_votes() {
  for (shared_node& c : shared_nodes_) {
    if (c.has_voted || !is_ready(c.node)) continue;
    c.has_voted = true;
    const int owner = parts_->owner(key_of(c.node));
    if (owner == rank_)
      count({c.node, rank_});
    else
      talk_.put(owner, word_of(c.node, true));
  }
}

/// Children that begin on this rank are leaves, and nothing around this rank's part is too fine.
bool coarsening::is_ready(std::uint64_t node) const {
  for (int c = 0; c < 8; ++c) {
    const std::uint64_t child = child_of(node, c);
    if (parts_->owns(rank_, key_of(child)) && !is_leaf(child)) return false;
  }
  return !is_blocked(node);
}

void coarsening::count(const vote& v) {
  votes_.push_back(v);
  int needed = 0;
  const int last = parts_->owner(end_key_of(v.node) - 1);
  for (int r = rank_; r <= last; ++r) needed += parts_->is_empty(r) ? 0 : 1;
  const auto cast = std::count_if(votes_.begin(), votes_.end(), [&](const vote& w) { return w.node == v.node; });
  if (cast < needed) return;
  has_crossed_ = true;
  for (int r = rank_ + 1; r <= last; ++r)
    if (!parts_->is_empty(r)) talk_.put(r, word_of(v.node, false));
  merge_across(v.node);
}

void coarsening::merge_across(std::uint64_t node) {
  merge_into(merged_[static_cast<std::size_t>(level_of(node))], codes{node});
  if (!reaches_here(node)) return;
  for (const int partner : partners_) talk_.put(partner, word_of(node, false));
}

/// Those that see a node of this rank.
void coarsening::tell_others(std::uint64_t node) {
  touching_ranks touching(*parts_, rank_);
  around_.clear();
  touching.find(octant::from_code(node), around_);
  std::sort(around_.begin(), around_.end());
  around_.erase(std::unique(around_.begin(), around_.end()), around_.end());
  for (const int r : around_) talk_.put(r, word_of(node, false));
}

void coarsening::take(std::span<const nearfar::sparse_exchange::message> messages) {
  for (const auto& m : messages)
    for (const std::uint64_t word : m.as<std::uint64_t>()) {
      const std::uint64_t node = word >> 1;
      if ((word & 1) != 0)
        count({node, m.peer});
      else if (!has(merged_[static_cast<std::size_t>(level_of(node))], node))
        merge_across(node);
    }
}

void coarsening::apply(codes& leaves) {
  all_merged_.clear();
  for (const codes& c : merged_) all_merged_.insert(all_merged_.end(), c.begin(), c.end());
  std::sort(all_merged_.begin(), all_merged_.end());
  leaves.clear();
  merge_leaves({all_.data() + first_, last_ - first_}, leaves,
               [this](std::uint64_t node) { return parts_->owns(rank_, key_of(node)); });
}

/// Everybody who sees a node was told that it was merged.
void coarsening::follow(codes& ghosts) const {
  if (all_merged_.empty()) return;
  codes merged;
  merge_leaves(ghosts, merged, [](std::uint64_t) { return true; });
  ghosts.swap(merged);
}

/// The first merged node that contains a leaf is the coarsest one, since ancestors come first.
template <class Keep>
void coarsening::merge_leaves(std::span<const std::uint64_t> leaves, codes& out, Keep&& keep) const {
  std::size_t m = 0;
  for (std::size_t i = 0; i < leaves.size();) {
    const std::uint64_t leaf = leaves[i];
    while (m < all_merged_.size() && end_key_of(all_merged_[m]) <= key_of(leaf)) ++m;
    if (m == all_merged_.size() || key_of(all_merged_[m]) > key_of(leaf)) {
      out.push_back(leaf);
      ++i;
      continue;
    }
    if (keep(all_merged_[m])) out.push_back(all_merged_[m]);
    while (i < leaves.size() && key_of(leaves[i]) < end_key_of(all_merged_[m])) ++i;
  }
}

std::uint64_t coarsening::beginning_after_merges() const {
  const std::uint64_t begin = parts_->begin(rank_);
  for (const std::uint64_t node : all_merged_)
    if (key_of(node) < begin && end_key_of(node) > begin) return end_key_of(node);
  return begin;
}

}  // namespace adaptive_heat
