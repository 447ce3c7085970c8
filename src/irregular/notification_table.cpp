// SPDX-License-Identifier: BSD-3-Clause
// Making and connecting notification tables, and the few stores and loads that a post is made of.
#include "notification_table.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <nearfar/error.hpp>
#include <topology/team_state.hpp>

namespace nearfar::irregular {

namespace {
constexpr std::size_t arrays_kept = 8;
/// About a second cache: half of one gains nothing yet, and what is four times as large takes longer again.
constexpr index_t ring_bytes = 1 << 20;
}  // namespace

notification_table::notification_table(const team& members)
    : arena_(&near::arena::of(members)),
      comm_(members.comm()),
      first_tag_(state_of(members).next_tags()),
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
    p.rank = state_of(members).near_ranks[as_size(r)];
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

bool notification_table::has_free_slot(stream s, std::uint64_t epoch) {
  slot& own = slot_of(s, epoch);
  for (; !own.posted.empty(); own.posted.pop_back())
    if (!is_over(s, own.epoch, own.posted.back())) return answer(s, own.epoch), false;
  return true;
}

bool notification_table::is_over(stream s, std::uint64_t epoch, posting& p) {
  return is_over(p.message) && is_taken(s, epoch, p.near_rank);
}

bool notification_table::is_over(far::single_message& m) {
  if (!m.is_in_flight()) return true;
  const bool is_over = m.is_over();
  open_messages_ -= is_over ? 1 : 0;
  return is_over;
}

// All of them, not the first alone: whoever is not answered may be awaited by the others. Asking whether messages are
// over lets the MPI progress.
void notification_table::answer(stream s, std::uint64_t epoch) {
  for (posting& p : slot_of(s, epoch).posted) {
    peer& reader = peers_[as_size(p.near_rank)];
    if (!is_over(p.message)) continue;
    if (p.is_sent || !reader.mine->refused[static_cast<std::size_t>(s)].has_reached(epoch)) continue;
    reader.knows[space_of(s, layout::in_order)] = reader.knows[space_of(s, layout::streamed)] = {};
    if (p.packed == nullptr) p.packed = pack_refused(p.near_rank);
    send(s, p);
  }
}

void notification_table::send(stream s, posting& p) {
  p.is_sent = true;
  p.message.send(p.packed, p.bytes, envelope_of(s, p.near_rank));
  ++open_messages_;
}

std::byte* notification_table::packing_space(stream s, std::uint64_t epoch, index_t bytes, near::stores how) {
  const std::size_t at = epoch & 1;  // nobody reads this slot's piece: the caller asked has_free_slot
  packing_ring& ring = (how == near::stores::ordinary ? rings_ : rings_past_caches_)[static_cast<std::size_t>(s)];
  std::byte* const space = ring.next(*arena_, at, bytes);
  slot_of(s, epoch).place = ring.place(at);
  return space;
}

bool notification_table::post(stream s, std::uint64_t epoch, int near_rank, const posted_data& what,
                              const race_mark& mark) {
  slot& own = slot_of(s, epoch);
  own.epoch = epoch;
  posting& p = own.posted.emplace_back(near_rank, what.packed, what.bytes);
  peer& reader = peers_[as_size(near_rank)];
  const bool is_in_place = what.packed == nullptr;
  bool may_be_refused = is_in_place || !what.where.is_valid();
  if (!may_be_refused) {
    chunk_key& known = reader.knows[space_of(s, what.lies)];
    may_be_refused = known != what.where.chunk_key();
    known = what.where.chunk_key();
  }
  notice& n = reader.theirs->notices[static_cast<std::size_t>(s)][epoch & 1];
  n.where = what.where;
  n.bytes = what.bytes;
  n.lies = what.lies;
  n.method = mark.method;
  n.is_in_place = is_in_place;
  n.at_s = mark.at_s;
  n.epoch.store(epoch, std::memory_order_release);  // pairs with has_arrived
  if (!what.where.is_valid()) send(s, p);
  return may_be_refused;
}

bool notification_table::has_arrived(stream s, std::uint64_t epoch, int near_rank) const noexcept {
  const notice& n = peers_[as_size(near_rank)].mine->notices[static_cast<std::size_t>(s)][epoch & 1];
  return n.epoch.load(std::memory_order_acquire) >= epoch;  // pairs with post
}

arrival notification_table::arrived(stream s, std::uint64_t epoch, int near_rank) {
  if (!has_arrived(s, epoch, near_rank)) return {};
  peer& p = peers_[as_size(near_rank)];
  const notice& n = p.mine->notices[static_cast<std::size_t>(s)][epoch & 1];
  replacement& instead = p.instead[static_cast<std::size_t>(s)];
  if (instead.epoch != epoch) {
    if (n.where.is_valid())
      if (const std::byte* const there = map(s, near_rank, n)) return {&n, there, n.lies};
    instead.bytes.resize(as_size(n.bytes));
    instead.message.receive(instead.bytes.data(), n.bytes, envelope_of(s, near_rank));
    instead.epoch = epoch;
    ++open_messages_;
    if (n.where.is_valid()) p.theirs->refused[static_cast<std::size_t>(s)].set(epoch);
  }
  return is_over(instead.message) ? arrival{&n, instead.bytes.data(), layout::in_order} : arrival{};
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

/// Null if it cannot be mapped.
const std::byte* notification_table::map(stream s, int near_rank, const notice& n) {
  peer& p = peers_[as_size(near_rank)];
  const chunk_key chunk = n.where.chunk_key();
  try {
    if (!n.is_in_place) {
      known_memory& known = p.packing_space[space_of(s, n.lies)];
      if (known.chunk != chunk) known = {chunk, arena_->attach(n.where)};
      return known.memory.at(n.where);
    }
    auto& arrays = p.arrays;
    const auto found =
        std::find_if(arrays.begin(), arrays.end(), [&](const known_memory& k) { return k.chunk == chunk; });
    if (found != arrays.end()) {
      if (found != arrays.begin()) std::swap(*found, arrays.front());
      return arrays.front().memory.at(n.where);
    }
    known_memory fresh{chunk, arena_->attach(n.where)};
    if (arrays.size() >= arrays_kept) arrays.pop_back();
    return arrays.insert(arrays.begin(), std::move(fresh))->memory.at(n.where);
  } catch (const resource_error& e) {
    near::say_once_that_messages_serve(e.what());
    return nullptr;
  }
}

notification_lease borrow_notification_table(const team& members) {
  near::arena::of(members).look_again(members);
  return far::lease_pool<notification_table>::of(members).borrow(
      members, [](const notification_table& b) { return !b.is_spoilt(); },
      [&] { return std::make_unique<notification_table>(members); });
}

}  // namespace nearfar::irregular
