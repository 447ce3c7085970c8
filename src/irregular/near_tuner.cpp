// SPDX-License-Identifier: BSD-3-Clause
// Races per class of movements; ranks share their times by the notification table.
#include "near_tuner.hpp"

#include <algorithm>

namespace nearfar::irregular {

namespace {

/// What is no array in near memory is packed in any case. Ghosts to be combined lie together: packing them by ordinary
/// stores wins nothing.
std::vector<near_method> methods_of(const near_tuner::movement_class& what) {
  if (what.is_packed) return {near_method::packed, near_method::streamed};
  if (what.kind == movement_kind::scatter) return {near_method::in_place, near_method::streamed};
  return {near_method::in_place, near_method::packed, near_method::streamed};
}

std::size_t place_of(near_method method, const std::vector<near_method>& methods) {
  const auto at = std::find(methods.begin(), methods.end(), method);
  return at == methods.end() ? 0 : static_cast<std::size_t>(at - methods.begin());
}

std::vector<std::string> names_of(const std::vector<near_method>& methods) {
  std::vector<std::string> names;
  for (const near_method w : methods) names.push_back(near_name(w, w));
  return names;
}

}  // namespace

near_tuner::near_tuner(notification_table& b, near_method gathers, near_method scatters)
    : notifications_(b), session_(b.next_session()), gathers_(gathers), scatters_(scatters) {
  entries_.reserve(notification_table::tallies);
}

near_tuner::entry* near_tuner::entry_of(const movement_class& what) {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const entry& e) { return e.what == what; });
  if (at != entries_.end()) return &*at;
  if (entries_.size() == notification_table::tallies) return nullptr;
  std::vector<near_method> methods = methods_of(what);
  tune::online_tuning races(names_of(methods), place_of(chosen(what.kind), methods));
  entries_.push_back({what, entries_.size(), std::move(methods), std::move(races), session_ << 32});
  return &entries_.back();
}

near_method near_tuner::next(const movement_class& what) {
  current_ = current_ != nullptr && current_->what == what ? current_ : entry_of(what);
  if (current_ == nullptr) return chosen(what.kind);
  const std::size_t who = current_->races.next();
  if (!current_->races.is_resting()) tend(*current_);
  return current_->methods[who];
}

near_method near_tuner::in_use() const noexcept { return current_->methods[current_->races.now()]; }

void near_tuner::note(near_method method, double out_s, double in_s) noexcept {
  current_->races.note(place_of(method, current_->methods), out_s, in_s);
}

void near_tuner::tend(entry& e) {
  if (e.races.has_news()) {
    e.all = e.races.mine();
    e.heard = 0;
    notifications_.tell(e.number, ++e.stamp, e.all);
  }
  if (e.races.awaits_verdict() && has_heard_all(e) && e.races.settle(e.all)) adopt(e);
}

void near_tuner::adopt(const entry& e) {
  const near_method now = e.methods[e.races.now()];
  near_method& before = chosen(e.what.kind);
  if (now == near_method::packed && e.what.is_packed && before == near_method::in_place)
    return;  // means the same there
  has_changed_ |= before != now;
  before = now;
}

bool near_tuner::has_heard_all(entry& e) const {
  for (; e.heard < notifications_.near_size(); ++e.heard) {
    if (e.heard == notifications_.near_rank()) continue;
    const auto* theirs = notifications_.told(e.number, e.stamp, e.heard);
    if (theirs == nullptr) return false;
    e.all.include(*theirs);
  }
  return true;
}

int near_tuner::races() const noexcept {
  int all = 0;
  for (const entry& e : entries_) all += e.races.races();
  return all;
}

}  // namespace nearfar::irregular
