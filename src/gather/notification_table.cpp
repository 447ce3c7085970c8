// SPDX-License-Identifier: BSD-3-Clause
// Making and connecting notification tables, and the few stores and loads that a post is made of.
#include "notification_table.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <topology/team_state.hpp>

namespace nearfar::gathering {

namespace {
constexpr std::size_t mappings_kept = 8;
/// About a second cache: half of one gains nothing yet, and what is four times as large takes longer again.
constexpr index_t ring_bytes = 1 << 20;
}  // namespace

notification_table::notification_table(const team& members)
    : arena_(&near::arena::of(members)),
      policy_(near::wait_policy::of(state_of(members))),
      rings_{packing_ring(0), packing_ring(ring_bytes), packing_ring(ring_bytes), packing_ring(0)},
      near_rank_(members.near_rank()) {
  const int near_size = members.near_size();
  peers_.resize(as_size(near_size));
  if (!arena_->is_shared()) return;
  near::segment_layout l;
  const auto inboxes = l.add<inbox>(near_size);
  tallies_ = l.add<tally>(2 * as_index(tallies));
  segment_.make(members, [&] { return l.bytes(); });
  for (int r = 0; r < near_size; ++r) {
    if (r == near_rank_) continue;
    peer& p = peers_[as_size(r)];
    p.mine = segment_.at(near_rank_, inboxes) + r;
    p.theirs = segment_.at(r, inboxes) + near_rank_;
    p.tallies = segment_.at(r, tallies_);
  }
}

notification_table::~notification_table() {
  for (auto* rings : {&rings_, &rings_past_caches_})
    for (packing_ring& ring : *rings)
      for (near::block& space : ring.give_up()) segment_.rest_too(std::move(space));
}

bool notification_table::has_free_slot(stream s, std::uint64_t epoch) noexcept {
  slot& own = slot_of(s, epoch);
  while (!own.posted.empty()) {
    if (!is_taken(s, own.epoch, own.posted.back())) return false;
    own.posted.pop_back();
  }
  return true;
}

std::byte* notification_table::packing_space(stream s, std::uint64_t epoch, index_t bytes, near::stores how) {
  const std::size_t at = epoch & 1;  // nobody reads this slot's piece: the caller asked has_free_slot
  packing_ring& ring = (how == near::stores::ordinary ? rings_ : rings_past_caches_)[static_cast<std::size_t>(s)];
  std::byte* const space = ring.next(*arena_, at, bytes);
  slot_of(s, epoch).place = ring.place(at);
  return space;
}

void notification_table::post(stream s, std::uint64_t epoch, int near_rank, const near::handle& where, index_t bytes,
                              layout lies, const race_mark& mark) {
  slot& own = slot_of(s, epoch);
  own.epoch = epoch;
  own.posted.push_back(near_rank);
  notice& n = peers_[as_size(near_rank)].theirs->notices[static_cast<std::size_t>(s)][epoch & 1];
  n.where = where;
  n.bytes = bytes;
  n.lies = lies;
  n.method = mark.method;
  n.is_in_place = mark.is_in_place;
  n.at_s = mark.at_s;
  n.epoch.store(epoch, std::memory_order_release);  // pairs with arrived
}

const notice* notification_table::arrived(stream s, std::uint64_t epoch, int near_rank) const noexcept {
  const notice& n = peers_[as_size(near_rank)].mine->notices[static_cast<std::size_t>(s)][epoch & 1];
  return n.epoch.load(std::memory_order_acquire) >= epoch ? &n : nullptr;  // pairs with post
}

void notification_table::take(stream s, std::uint64_t epoch, int near_rank) noexcept {
  peers_[as_size(near_rank)].theirs->taken[static_cast<std::size_t>(s)].set(epoch);
}

bool notification_table::is_taken(stream s, std::uint64_t epoch, int near_rank) const noexcept {
  return peers_[as_size(near_rank)].mine->taken[static_cast<std::size_t>(s)].has_reached(epoch);
}

void notification_table::tell(std::size_t number, std::uint64_t stamp,
                              const tune::online_tuning::figures& measured) noexcept {
  tally& t = segment_.at(near_rank_, tallies_)[2 * number + (stamp & 1)];
  t.measured = measured;
  t.stamp.store(stamp, std::memory_order_release);  // pairs with told
}

const tune::online_tuning::figures* notification_table::told(std::size_t number, std::uint64_t stamp,
                                                             int near_rank) const noexcept {
  const tally& t = peers_[as_size(near_rank)].tallies[2 * number + (stamp & 1)];
  return t.stamp.load(std::memory_order_acquire) == stamp ? &t.measured : nullptr;  // pairs with tell
}

const std::byte* notification_table::map(int near_rank, const near::handle& where) {
  auto& mapped = peers_[as_size(near_rank)].mapped;
  const auto found =
      std::find_if(mapped.begin(), mapped.end(), [&](const peer::known& k) { return k.chunk == where.chunk_key(); });
  if (found != mapped.end()) {
    if (found != mapped.begin()) std::swap(*found, mapped.front());
    return mapped.front().memory.at(where);
  }
  if (mapped.size() >= mappings_kept) mapped.pop_back();
  mapped.insert(mapped.begin(), {where.chunk_key(), arena_->attach(where)});
  return mapped.front().memory.at(where);
}

notification_lease borrow_notification_table(const team& members) {
  near::arena::of(members).look_again(members);
  return far::lease_pool<notification_table>::of(members).borrow(
      members, [](const notification_table& b) { return !b.is_spoilt(); },
      [&] { return std::make_unique<notification_table>(members); });
}

}  // namespace nearfar::gathering
