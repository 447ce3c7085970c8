// SPDX-License-Identifier: BSD-3-Clause
// Making and connecting notification tables, and the few stores and loads that a post is made of.
#include "notification_table.hpp"

#include <algorithm>
#include <base/internals.hpp>
#include <topology/agree.hpp>
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
  if (arena_->is_shared()) {
    const index_t bytes = as_index(sizeof(inbox)) * near_size + as_index(sizeof(tally) * 2 * tallies);
    agree(members, [&] { block_ = arena_->allocate(bytes); });
    connect(members);
  }
}

void notification_table::connect(const team& members) {
  const team_state& s = state_of(members);
  const near::handle mine = arena_->find(block_.data(), 1);
  std::vector<near::handle> all(peers_.size());
  watched_mpi("MPI_Allgather", [&] {
    return MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, s.node_comm);
  });
  agree(members, [&] {
    for (std::size_t r = 0; r < peers_.size(); ++r) {
      if (static_cast<int>(r) == near_rank_) continue;
      peers_[r].mine = reinterpret_cast<inbox*>(block_.data()) + r;
      blocks_.push_back(arena_->attach(all[r]));
      std::byte* const theirs = blocks_.back().at(all[r]);
      peers_[r].theirs = reinterpret_cast<inbox*>(theirs) + near_rank_;
      peers_[r].tallies = tallies_of(theirs);
    }
  });
}

notification_table::~notification_table() {
  if (!block_) return;
  for (const peer& p : peers_)
    if (p.theirs != nullptr) p.theirs->closed.set(1);
  std::vector<const near::signal*> own;
  for (const peer& p : peers_)
    if (p.mine != nullptr) own.push_back(&p.mine->closed);
  const auto is_quiet = [own, memory = block_] {
    return std::all_of(own.begin(), own.end(), [](const near::signal* c) { return c->has_reached(1); });
  };
  for (auto* rings : {&rings_, &rings_past_caches_})
    for (packing_ring& ring : *rings)
      for (near::block& space : ring.give_up())
        if (space) arena_->retire(std::move(space), is_quiet);
  arena_->retire(block_, is_quiet);
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
  tally& t = tallies_of(block_.data())[2 * number + (stamp & 1)];
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
  return far::lease_pool<notification_table>::of(members).borrow(
      members, [](const notification_table& b) { return !b.is_spoilt(); },
      [&] { return std::make_unique<notification_table>(members); });
}

}  // namespace nearfar::gathering
