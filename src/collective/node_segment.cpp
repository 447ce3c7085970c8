// SPDX-License-Identifier: BSD-3-Clause
// Making the ranks' segments and rings, and the rare waits for a rank that is far behind.
#include <algorithm>
#include <base/clock.hpp>
#include <base/env.hpp>
#include <base/internals.hpp>
#include <base/text.hpp>
#include <collective/node_segment.hpp>
#include <limits>
#include <nearfar/error.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

namespace nearfar::collective {

namespace {
constexpr int spins_between_nodes = 4, spins_in_mpi_between_nodes = 50;
constexpr double long_wait_s = 1e-3;  // for a slot
}  // namespace

node_segment::node_segment(const nearfar::team& members, std::string name, bool is_short_of_cores)
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
  rank_segments_.make(members_, [] { return index_t{sizeof(rank_segment)}; });
  policy_.look_around = [this] { look_around(); };
  // What comes from other nodes takes longer than giving the core away costs, which may be what the rank that talks to
  // them waits for.
  if (members.nodes() > 1 && env::string_or("NEARFAR_SPINS", "").empty()) {
    policy_.spins = std::min(policy_.spins, spins_between_nodes);
    policy_.spins_in_mpi = std::min(policy_.spins_in_mpi, spins_in_mpi_between_nodes);
  }
  if (is_short_of_cores) policy_.spins = policy_.spins_in_mpi = 0;
}

void node_segment::make_ring(index_t bytes) {
  rings_.make(members_, [bytes] { return bytes; });
  ring_bytes_ = bytes;
  ring_mask_ = static_cast<std::uint64_t>(bytes) - 1;
  known_space_ = ring_mask_ + 1;
}

void node_segment::make_stream() {
  next_question_ = std::numeric_limits<std::int64_t>::max();
  streams_.make(members_, [] { return index_t{sizeof(rank_stream)}; });
  has_stream_ = true;
  begun_kept_ = 2 * stream_slots;
  first_kept_ = now_ + 1;
}

void node_segment::look_at_stream() {
  while (streamed_ >= next_question_) next_question_ *= 2;
  if (everywhere(state_of(members_), !has_waited_long_)) return;
  try {
    make_stream();
  } catch (const resource_error&) {  // on every rank: ranks that are ahead wait, as before
  }
}

void node_segment::wait_for_slot() {
  const double begin = seconds_now();
  const std::uint64_t wanted = now_ - reach_;
  std::uint64_t lowest = now_ - 1;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    std::uint64_t seen = 0;
    const auto has_left = [&] {
      seen = segment_of(r)->left.load(std::memory_order_acquire);  // pairs with leave
      return seen >= wanted;
    };
    if (!has_left()) wait(r, has_left);
    lowest = std::min(lowest, seen);
  }
  known_left_ = lowest;
  has_waited_long_ = has_waited_long_ || (width_ == width::narrow && seconds_now() - begin > long_wait_s);
}

void node_segment::wait_for_space(std::uint64_t end) {
  const std::uint64_t ring = ring_mask_ + 1;
  std::uint64_t lowest = end;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    std::uint64_t seen = 0;
    const auto has_taken = [&] {
      seen = segment_of(r)->taken.load(std::memory_order_acquire);  // pairs with take
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
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    compare_claims(r);
    compare_order(r);
  }
  if (awaited_.from >= 0) compare_block();
  for (int r = 0; r < size_; ++r)
    if (segment_of(r)->has_given_up.load(std::memory_order_acquire) != 0)  // pairs with give_up
      throw transport_error(text("a collective call has failed on rank ", state_of(members_).near_ranks[as_size(r)]));
}

void node_segment::compare_block() {
  const int from = state_of(members_).near_ranks[as_size(awaited_.from)];
  const spoken_claim& theirs = segment_of(awaited_.from)->claims[claims_ % claims_kept];
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
    const spoken_claim &ours = own().claims[i], &theirs = segment_of(with)->claims[i];
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

std::uint64_t node_segment::latest_call_of(int near_rank, bool& is_ours) const {
  std::uint64_t latest = 0;
  for (const spoken_claim& said : segment_of(near_rank)->claims) {
    const std::uint64_t number = said.number.load(std::memory_order_acquire);  // pairs with claim
    const std::uint64_t what = said.what.load(std::memory_order_acquire);
    if (number <= latest || said.number.load(std::memory_order_relaxed) != number) continue;
    latest = number;
    is_ours = what != 0;
  }
  return latest;
}

// A call here belongs to the same call of the program on all ranks, however far they are apart: else one has left to
// the MPI what the other carries out.
void node_segment::compare_order(int with) {
  const int rank = state_of(members_).near_ranks[as_size(with)];
  bool is_ours = true;
  const std::uint64_t latest = latest_call_of(with, is_ours);
  const std::uint64_t oldest = now_ > begun_kept_ ? now_ - begun_kept_ + 1 : 1;
  for (std::uint64_t k = std::max(oldest, first_kept_); k <= now_; ++k) {
    const std::uint64_t ours = begun_of(rank_)[k % begun_kept_].load(std::memory_order_relaxed);
    const std::uint64_t theirs = begun_of(with)[k % begun_kept_].load(std::memory_order_acquire);
    const std::uint64_t call = ours >> begun_bits;
    const auto ahead = static_cast<std::int16_t>((theirs & begun_mask) - (ours & begun_mask));
    if (ahead == 0 && theirs != ours)
      throw usage_error(text("call ", call, " of this rank has met call ", theirs >> begun_bits, " of rank ", rank,
                             ": one of them has left others to the MPI; kinds, roots and sizes must agree"));
    if (ahead >= 0) continue;
    if (latest > call || (latest == call && !is_ours))
      throw usage_error(text("call ", call, " is left to the MPI on rank ", rank,
                             ", but not on this one; kinds, roots and sizes must agree"));
    return;
  }
}

int process_of(const node_segment& h, int near_rank) noexcept {
  return state_of(h.team()).near_processes[as_size(near_rank)];
}

}  // namespace nearfar::collective
