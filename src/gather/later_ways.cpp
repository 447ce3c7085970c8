// SPDX-License-Identifier: BSD-3-Clause
// Races per class of movements, and their figures over the board.
#include "later_ways.hpp"

#include <algorithm>

namespace nearfar::gathering {

namespace {

/// What is no array in near memory is packed in any case. Ghosts to be combined lie together: packing them by ordinary
/// stores wins nothing.
std::vector<near_way> ways_of(const later_ways::movement_class& what) {
  if (what.is_packed) return {near_way::packed, near_way::streamed};
  if (what.kind == movement_kind::scatter) return {near_way::in_place, near_way::streamed};
  return {near_way::in_place, near_way::packed, near_way::streamed};
}

std::size_t place_of(near_way way, const std::vector<near_way>& ways) {
  const auto at = std::find(ways.begin(), ways.end(), way);
  return at == ways.end() ? 0 : static_cast<std::size_t>(at - ways.begin());
}

std::vector<std::string> names_of(const std::vector<near_way>& ways) {
  std::vector<std::string> names;
  for (const near_way w : ways) names.push_back(near_name(w, w));
  return names;
}

}  // namespace

later_ways::later_ways(board& b, near_way gathers, near_way scatters)
    : board_(b), session_(b.next_session()), gathers_(gathers), scatters_(scatters) {
  entries_.reserve(board::tallies);
}

later_ways::entry* later_ways::entry_of(const movement_class& what) {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const entry& e) { return e.what == what; });
  if (at != entries_.end()) return &*at;
  if (entries_.size() == board::tallies) return nullptr;
  std::vector<near_way> ways = ways_of(what);
  tune::trial_calls races(names_of(ways), place_of(chosen(what.kind), ways));
  entries_.push_back({what, entries_.size(), std::move(ways), std::move(races), session_ << 32});
  return &entries_.back();
}

near_way later_ways::next(const movement_class& what) {
  current_ = current_ != nullptr && current_->what == what ? current_ : entry_of(what);
  if (current_ == nullptr) return chosen(what.kind);
  const std::size_t who = current_->races.next();
  if (!current_->races.is_resting()) tend(*current_);
  return current_->ways[who];
}

near_way later_ways::in_use() const noexcept { return current_->ways[current_->races.now()]; }

void later_ways::note(near_way way, double out_s, double in_s) noexcept {
  current_->races.note(place_of(way, current_->ways), out_s, in_s);
}

void later_ways::tend(entry& e) {
  if (e.races.has_news()) {
    e.all = e.races.mine();
    e.heard = 0;
    board_.tell(e.number, ++e.stamp, e.all);
  }
  if (e.races.awaits_verdict() && has_heard_all(e) && e.races.settle(e.all)) adopt(e);
}

void later_ways::adopt(const entry& e) {
  const near_way now = e.ways[e.races.now()];
  near_way& before = chosen(e.what.kind);
  if (now == near_way::packed && e.what.is_packed && before == near_way::in_place) return;  // means the same there
  has_changed_ |= before != now;
  before = now;
}

bool later_ways::has_heard_all(entry& e) const {
  for (; e.heard < board_.near_size(); ++e.heard) {
    if (e.heard == board_.near_rank()) continue;
    const auto* theirs = board_.told(e.number, e.stamp, e.heard);
    if (theirs == nullptr) return false;
    e.all.include(*theirs);
  }
  return true;
}

int later_ways::races() const noexcept {
  int all = 0;
  for (const entry& e : entries_) all += e.races.races();
  return all;
}

}  // namespace nearfar::gathering
