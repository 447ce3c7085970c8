// SPDX-License-Identifier: BSD-3-Clause
// Making the ranks' segments and rings, and the waits that happen only when somebody is far behind.
#include <algorithm>
#include <base/env.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <collective/node_segment.hpp>
#include <nearfar/error.hpp>
#include <new>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

namespace nearfar::collective {

namespace {
constexpr int spins_between_nodes = 4, spins_in_mpi_between_nodes = 50;
}

node_segment::node_segment(const team& members, std::string name)
    : members_(members),
      name_(std::move(name)),
      arena_(&near::arena::of(members)),
      lines_(&arena_->lines()),
      rank_(members.near_rank()),
      size_(members.near_size()),
      policy_(near::wait_policy::of(state_of(members))) {
  whom_ = [this] {
    if (waiting_for_ < 0) return far_peers_ ? far_peers_() : std::string("other nodes");
    return text("rank ", state_of(members_).near_ranks[as_size(waiting_for_)]);
  };
  agree(members_, [&] {
    if (!arena_->is_shared() && size_ > 1) throw resource_error("near ranks cannot map each other's memory here");
    own_segment_ = arena_->allocate(as_index(sizeof(rank_segment)) + size_);
    new (own_segment_.data()) rank_segment;  // the memory is zeros, as the counters must be
  });
  const auto handles = share(own_segment_);
  rank_segments_.resize(as_size(size_));
  agree(members_, [&] {
    for (int r = 0; r < size_; ++r) {
      rank_segments_[as_size(r)] = reinterpret_cast<rank_segment*>(own_segment_.data());
      if (r == rank_) continue;
      mapped_.push_back(arena_->attach(handles[as_size(r)]));
      rank_segments_[as_size(r)] = reinterpret_cast<rank_segment*>(mapped_.back().at(handles[as_size(r)]));
    }
  });
  policy_.look_around = [this] { look_around(); };
  // What comes from other nodes takes longer than giving the core away costs, which may be what the rank that talks to
  // them waits for.
  if (members.nodes() > 1 && env::string_or("NEARFAR_SPINS", "").empty()) {
    policy_.spins = std::min(policy_.spins, spins_between_nodes);
    policy_.spins_in_mpi = std::min(policy_.spins_in_mpi, spins_in_mpi_between_nodes);
  }
}

node_segment::~node_segment() {
  if (!own_segment_ || rank_segments_.empty()) return;
  for (rank_segment* d : rank_segments_)
    gone_from(d)[rank_].store(1, std::memory_order_release);  // pairs with is_quiet
  const near::block rank_segment_block = own_segment_;
  const auto is_quiet = [rank_segment_block, ranks = size_] {
    auto* gone = gone_from(reinterpret_cast<rank_segment*>(rank_segment_block.data()));
    return std::all_of(gone, gone + ranks, [](const auto& g) { return g.load(std::memory_order_acquire) != 0; });
  };
  if (own_ring_) arena_->retire(std::move(own_ring_), is_quiet);
  arena_->retire(std::move(own_segment_), is_quiet);
}

int node_segment::process_of(int near_rank) const noexcept {
  return state_of(members_).near_processes[as_size(near_rank)];
}

void node_segment::make_ring(index_t bytes) {
  agree(members_, [&] { own_ring_ = arena_->allocate(bytes); });
  const auto handles = share(own_ring_);
  std::vector<std::byte*> rings(as_size(size_));
  agree(members_, [&] {
    for (int r = 0; r < size_; ++r) {
      rings[as_size(r)] = own_ring_.data();
      if (r == rank_) continue;
      mapped_.push_back(arena_->attach(handles[as_size(r)]));
      rings[as_size(r)] = mapped_.back().at(handles[as_size(r)]);
    }
  });
  ring_ = std::move(rings);
  ring_bytes_ = bytes;
  ring_mask_ = static_cast<std::uint64_t>(bytes) - 1;
  known_space_ = ring_mask_ + 1;
}

std::vector<near::handle> node_segment::share(const near::block& own) {
  const team_state& s = state_of(members_);
  std::vector<near::handle> all(as_size(size_));
  const near::handle mine = size_ > 1 ? arena_->find(own.data(), 1) : near::handle{};
  watched_mpi("MPI_Allgather", [&] {
    return MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, s.node_comm);
  });
  return all;
}

void node_segment::wait_for_slot() {
  const std::uint64_t wanted = now_ - reach_;
  std::uint64_t lowest = now_ - 1;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    std::uint64_t seen = 0;
    const auto has_left = [&] {
      seen = rank_segments_[as_size(r)]->left.load(std::memory_order_acquire);  // pairs with leave
      return seen >= wanted;
    };
    if (!has_left()) wait(r, has_left);
    lowest = std::min(lowest, seen);
  }
  known_left_ = lowest;
}

void node_segment::wait_for_space(std::uint64_t end) {
  const std::uint64_t ring = ring_mask_ + 1;
  std::uint64_t lowest = end;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    std::uint64_t seen = 0;
    const auto has_taken = [&] {
      seen = rank_segments_[as_size(r)]->taken.load(std::memory_order_acquire);  // pairs with take
      return seen + ring >= end;
    };
    if (!has_taken()) wait(r, has_taken);
    lowest = std::min(lowest, seen);
  }
  known_space_ = std::max(end, lowest + ring);
}

// A peer that is some calls ahead has overwritten what it left in this one; it is judged when that has been caught up
// with.
void node_segment::judge_mark(int from, std::uint64_t seen) {
  constexpr std::uint64_t count_mask = (std::uint64_t{1} << count_bits) - 1;
  if ((seen & count_mask) > now_) return;
  compare_claims(from);
  throw usage_error(
      text("rank ", state_of(members_).near_ranks[as_size(from)], " and this one have come to different calls"));
}

// Whoever waits for what will never come finds it out here, a few times a second.
void node_segment::look_around() {
  for (int r = 0; r < size_; ++r)
    if (r != rank_) compare_claims(r);
  if (awaited_.from >= 0) compare_block();
  for (int r = 0; r < size_; ++r)
    if (rank_segments_[as_size(r)]->has_given_up.load(std::memory_order_acquire) != 0)  // pairs with give_up
      throw transport_error(text("a collective call has failed on rank ", state_of(members_).near_ranks[as_size(r)]));
}

void node_segment::compare_block() {
  const int from = state_of(members_).near_ranks[as_size(awaited_.from)];
  const spoken_claim& theirs = rank_segments_[as_size(awaited_.from)]->claims[claims_ % claims_kept];
  const bool is_here = theirs.number.load(std::memory_order_acquire) == claims_;  // pairs with claim
  const index_t bytes = theirs.bytes.load(std::memory_order_relaxed);
  if (is_here && call_claim::has_own_bytes(theirs.what) && bytes != awaited_.block)
    throw usage_error(text("rank ", from, " sends ", bytes, " B where this rank expects ", awaited_.block, " B"));
  if (awaited_.at == nullptr) return;
  auto& epoch = const_cast<std::uint64_t&>(awaited_.at->words[7]);
  const std::uint64_t seen = std::atomic_ref<std::uint64_t>(epoch).load(std::memory_order_acquire);
  if ((seen ^ awaited_.mark) << (64 - count_bits) == 0 && seen != awaited_.mark)
    throw usage_error(text("rank ", from, " does not send the ", awaited_.block, " B that this rank expects"));
}

void node_segment::compare_claims(int with) {
  for (std::size_t i = 0; i < claims_kept; ++i) {
    const spoken_claim &ours = own().claims[i], &theirs = rank_segments_[as_size(with)]->claims[i];
    const std::uint64_t number = theirs.number.load(std::memory_order_acquire);  // pairs with claim
    if (number == 0 || number != ours.number.load(std::memory_order_relaxed)) continue;
    const std::uint64_t what = theirs.what.load(std::memory_order_acquire);
    const index_t bytes = theirs.bytes.load(std::memory_order_acquire);
    if (theirs.number.load(std::memory_order_relaxed) != number) continue;  // overwritten meanwhile
    if (what == ours.what && (bytes == ours.bytes || call_claim::has_own_bytes(what))) continue;
    throw usage_error(text("call ", number, " is ", call_claim::words(what, bytes), " on rank ",
                           state_of(members_).near_ranks[as_size(with)], ", and ",
                           call_claim::words(ours.what, ours.bytes),
                           " on this one; kinds, roots and sizes must agree"));
  }
}

}  // namespace nearfar::collective
