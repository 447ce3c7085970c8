// SPDX-License-Identifier: BSD-3-Clause
// Adaptation as a whole, and the changes of the partition.
#include <algorithm>
#include <array>
#include <cmath>
#include <mesh/closed_form.hpp>
#include <mesh/forest.hpp>
#include <nearfar/collective.hpp>
#include <numeric>

namespace adaptive_heat {

namespace {

std::vector<std::uint64_t> all_on_rank_0(int ranks) {
  std::vector<std::uint64_t> splitters(static_cast<std::size_t>(ranks) + 1, key_end);
  splitters[0] = 0;
  return splitters;
}

/// What is wrong with a request, or nothing.
std::string complaint_about(const hot_region& hot, int levels) {
  try {
    check_mesh_request(hot, levels);
  } catch (const nearfar::usage_error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

forest::forest(const nearfar::team& members, int levels)
    : team_(members),
      comm_(members),
      levels_(levels),
      parts_(all_on_rank_0(members.size())),
      talk_(std::make_unique<nearfar::sparse_exchange>(members, "adaptation of the mesh")),
      refinement_(*talk_, members.rank()),
      coarsening_(*talk_, members.rank()),
      ghost_builder_(comm_, members.rank()) {
  check_mesh_request(ball{.centre = {}, .radius = 1}, levels);
  if (members.is_root()) leaves_.push_back(octant{}.code());
  result_.total = 1;
  leaves_changed();
}

void forest::leaves_changed() {
  has_ghosts_ = has_layer_ = has_sides_ = false;
  octants_.clear();
  for (const std::uint64_t leaf : leaves_) octants_.push_back(octant::from_code(leaf));
}

void forest::start(const hot_region& hot) {
  if (team_.size() == 1) return adapt_to(hot, levels_);
  for (int level = 1; level <= levels_; ++level) {
    adapt_to(hot, level);
    equalize();
  }
}

const adaptation& forest::adapt(const hot_region& hot) {
  adapt_to(hot, levels_);
  return result_;
}

void forest::adapt_to(const hot_region& hot, int levels) {
  old_ = leaves_;
  const std::int64_t deliveries = talk_->deliveries();
  codes& ghosts = ghost_builder_.ghost_codes();
  const bool knew_ghosts = has_ghosts_;
  refinement_.run(hot, levels, parts_, leaves_, knew_ghosts ? &ghosts : nullptr, complaint_about(hot, levels));
  if (!knew_ghosts) ghost_builder_.build(parts_, leaves_, ghosts_);
  const coarsening::outcome end = coarsening_.run(hot, parts_, leaves_, ghosts_.partners, ghosts, refinement_.splits());
  const partition old_parts = parts_;
  if (end.has_crossed) refresh_partition();
  result_.rounds = talk_->deliveries() - deliveries;
  finish(old_, old_parts);
  set_counts(end.splits, end.leaves);
  has_ghosts_ = !end.has_crossed;
}

/// A piece that was inside of one leaf is empty now, and so are those that were empty at its beginning.
void forest::refresh_partition() {
  const std::uint64_t mine = coarsening_.beginning_after_merges();
  std::vector<std::uint64_t> next(static_cast<std::size_t>(team_.size()) + 1, key_end);
  nearfar::allgather(team_, std::span<const std::uint64_t>(&mine, 1),
                     std::span<std::uint64_t>(next.data(), next.size() - 1));
  for (int r = team_.size() - 1; r >= 0; --r)
    if (parts_.is_empty(r)) next[static_cast<std::size_t>(r)] = next[static_cast<std::size_t>(r) + 1];
  parts_ = partition(std::move(next));
}

change_counts forest::finish(codes& old, const partition& old_parts) {
  result_.before =
      old_parts == parts_ ? migration::none(old.size()) : migration(comm_, team_.rank(), old_parts, parts_, old);
  const change_counts changes = trace_origins(old, leaves_, result_.origins);
  result_.old_leaves.clear();
  for (const std::uint64_t leaf : old) result_.old_leaves.push_back(octant::from_code(leaf));
  leaves_changed();
  return changes;
}

const adaptation& forest::adapt_by_closed_form(const hot_region& hot) {
  codes all;
  for (const octant& o : closed_form_leaves(hot, levels_)) all.push_back(o.code());
  std::vector<std::uint64_t> next = parts_.splitters();
  for (std::uint64_t& s : next)
    if (const std::size_t i = leaf_at(all, s); i < all.size() && key_of(all[i]) < s) s = end_key_of(all[i]);
  result_.rounds = 0;
  const partition old_parts = std::exchange(parts_, partition(std::move(next)));
  old_ = leaves_;
  const auto place = [&](std::uint64_t key) {
    return all.begin() + static_cast<std::ptrdiff_t>(lower_position(all, code_of(key, 0)));
  };
  leaves_.assign(place(parts_.begin(team_.rank())), place(parts_.end(team_.rank())));
  count(finish(old_, old_parts).splits);
  return result_;
}

void forest::count(std::int64_t splits) {
  std::array<std::int64_t, 2> mine{splits, static_cast<std::int64_t>(leaves_.size())};
  std::vector<std::int64_t> all(mine.size() * static_cast<std::size_t>(team_.size())), sizes;
  nearfar::allgather(team_, std::span<const std::int64_t>(mine), std::span<std::int64_t>(all));
  splits = 0;
  for (std::size_t at = 0; at < all.size(); at += mine.size()) {
    splits += all[at];
    sizes.push_back(all[at + 1]);
  }
  set_counts(splits, sizes);
}

/// Each split gives seven leaves more, each merge takes seven.
void forest::set_counts(std::int64_t splits, std::span<const std::int64_t> sizes) {
  const std::int64_t old_total = result_.total;
  leaves_before_.assign(1, 0);
  for (const std::int64_t size : sizes) leaves_before_.push_back(leaves_before_.back() + size);
  result_.total = leaves_before_.back();
  result_.refined = splits;
  result_.merged = 8 * (splits - (result_.total - old_total) / 7);
}

/// How many leaves lie before each rank's, and in all.
const std::vector<std::int64_t>& forest::leaves_before() {
  if (!leaves_before_.empty()) return leaves_before_;
  const auto mine = static_cast<std::int64_t>(leaves_.size());
  leaves_before_.assign(static_cast<std::size_t>(team_.size()) + 1, 0);
  nearfar::allgather(team_, std::span<const std::int64_t>(&mine, 1),
                     std::span<std::int64_t>(leaves_before_.data() + 1, leaves_before_.size() - 1));
  std::partial_sum(leaves_before_.begin(), leaves_before_.end(), leaves_before_.begin());
  return leaves_before_;
}

migration forest::rebalance(double bound) {
  if (!(bound >= 0))
    throw nearfar::usage_error("leaves were to be rebalanced at an imbalance of " + std::to_string(bound) +
                               "; the bound is 0 or more");
  if (team_.size() == 1) return migration::none(leaves_.size());
  const std::vector<std::int64_t>& before = leaves_before();
  const std::vector<std::int64_t> cuts = cuts_within(bound, before);
  if (cuts == before) return migration::none(leaves_.size());
  return change_partition(partition(splitters_at(cuts, before)));
}

/// The present cuts if they are near enough to where equal shares would have them; else each moved as little as brings
/// it twice as near, so that they can stay for a while. Both ascend, so the result does.
std::vector<std::int64_t> forest::cuts_within(double bound, const std::vector<std::int64_t>& before) const {
  const std::int64_t total = before.back(), ranks = team_.size();
  const double spare =
      std::min(bound / 2 * static_cast<double>(total) / static_cast<double>(ranks), static_cast<double>(total));
  const auto slack = static_cast<std::int64_t>(spare);
  const auto clamped = [&](std::int64_t most) {
    std::vector<std::int64_t> cuts = before;
    for (std::int64_t r = 1; r < ranks; ++r) {
      const std::int64_t ideal = total * r / ranks;
      auto& cut = cuts[static_cast<std::size_t>(r)];
      cut = std::clamp(cut, std::max<std::int64_t>(ideal - most, 0), std::min(ideal + most, total));
    }
    return cuts;
  };
  return clamped(slack) == before ? before : clamped(slack / 2);
}

/// Splitter r is the key of leaf cuts[r], which its present owner tells everybody; behind the last leaf it is the end.
std::vector<std::uint64_t> forest::splitters_at(const std::vector<std::int64_t>& cuts,
                                                const std::vector<std::int64_t>& before) const {
  const std::size_t ranks = before.size() - 1;
  std::vector<std::int64_t> given(ranks, 0), places(ranks, 0);
  const auto me = static_cast<std::size_t>(team_.rank());
  std::vector<std::uint64_t> mine;
  for (std::size_t r = 0, owner = 0; r < ranks && cuts[r] < before[ranks]; ++r) {
    while (cuts[r] >= before[owner + 1]) ++owner;
    if (given[owner]++ == 0) places[owner] = static_cast<std::int64_t>(r);
    if (owner == me) mine.push_back(key_of(leaves_[static_cast<std::size_t>(cuts[r] - before[owner])]));
  }
  std::vector<std::uint64_t> splitters(ranks + 1, key_end);
  nearfar::allgatherv(team_, std::span<const std::uint64_t>(mine), std::span<std::uint64_t>(splitters.data(), ranks),
                      given, places);
  return splitters;
}

migration forest::move_to(const std::vector<std::uint64_t>& splitters) {
  const auto size = static_cast<std::size_t>(team_.size()) + 1;
  if (splitters.size() != size || splitters.front() != 0 || splitters.back() != key_end ||
      !std::is_sorted(splitters.begin(), splitters.end()))
    throw nearfar::usage_error("a partition of a mesh over " + std::to_string(size - 1) + " ranks was to have " +
                               std::to_string(splitters.size()) + " splitters; it has " + std::to_string(size) +
                               ", which ascend from 0 to " + std::to_string(key_end));
  std::uint64_t cut = 0;  // a splitter that lies inside of a leaf of this rank; 0 never does
  for (const std::uint64_t s : splitters)
    if (const std::size_t i = leaf_at(leaves_, s); i < leaves_.size() && key_of(leaves_[i]) < s) cut = s;
  cut = nearfar::allreduce(team_, cut, nearfar::reduce_op::max);
  if (cut != 0)
    throw nearfar::usage_error("a splitter was to be at cell " + std::to_string(cut) +
                               ", inside of a leaf; splitters lie between leaves");
  return change_partition(partition(splitters));
}

migration forest::change_partition(partition next) {
  if (next == parts_) return migration::none(leaves_.size());
  migration moves(comm_, team_.rank(), parts_, next, leaves_);
  parts_ = std::move(next);
  leaves_before_.clear();
  leaves_changed();
  return moves;
}

const ghost_layer& forest::ghosts() {
  if (!has_layer_) ghost_builder_.build(parts_, leaves_, ghosts_);
  has_ghosts_ = has_layer_ = true;
  return ghosts_;
}

const codes& forest::ghost_codes() {
  if (!has_ghosts_) ghosts();
  return ghost_builder_.ghost_codes();
}

std::span<const int> forest::partners() {
  ghost_codes();
  return ghosts_.partners;
}

const std::vector<leaf_sides>& forest::sides() {
  const codes& ghosts = ghost_codes();
  if (has_sides_) return sides_;
  has_sides_ = true;
  const std::size_t lower = lower_position(ghosts, code_of(parts_.begin(team_.rank()), 0));
  const auto split = ghosts.begin() + static_cast<std::ptrdiff_t>(lower);
  around_.assign(ghosts.begin(), split);
  around_.insert(around_.end(), leaves_.begin(), leaves_.end());
  around_.insert(around_.end(), split, ghosts.end());
  side_finder_.find(around_, lower, lower + leaves_.size(), sides_);
  return sides_;
}

}  // namespace adaptive_heat
