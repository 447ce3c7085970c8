// SPDX-License-Identifier: BSD-3-Clause
// The node segment: shared memory in which the ranks of one node carry out the collective calls of one team, one after
// the other.
//
// The part of near rank r, which r alone writes and all read:
//
//   slots    4 of 20 lines and 16 of 2: call n writes its small data, with n, into slot n mod 4 (n mod 16)
//   stream   where a rank has waited long for slots: 512 of 2 lines, for calls that need not wait for each other
//   ring     bytes of long data, at positions that only grow
//   posted   ring bytes below it are valid; marks: of which call they are
//   left     r has left all calls up to it
//   taken    r reads nothing below it in any ring
//   claims   what r's latest calls are; read only by ranks that have waited long
//   begun    which calls of the program r's latest calls here belong to; read likewise
#pragma once

#include <atomic>
#include <base/numbers.hpp>
#include <collective/claim.hpp>
#include <functional>
#include <near/patience.hpp>
#include <near/shared_segment.hpp>
#include <nearfar/team.hpp>
#include <string>
#include <vector>

namespace nearfar::collective {

/// Calls are numbered 1, 2, … in the same order on every rank (`begin`). Positions in the rings count all bytes since
/// the first call and are the same on all ranks, too (`reserve`): a rank that has nothing to write at a position skips
/// it.
///
/// Nothing here synchronises more than the algorithm requires. Invariant: a slot or a piece of the ring is written
/// again only when every near rank is known to have left the call that used it, because a later call showed that it
/// arrived there (`all_arrived`), or because it said so (`leave`, `take`). So nobody overwrites what another rank still
/// reads.
///
/// If ranks make different calls, or calls with different roots or sizes, they must not take each other's data: lines
/// and pieces of the ring carry a mark made from the claim of their call, so that data of another call does not match,
/// and a rank that waits long checks whether its peers claim the same. A peer that leaves calls to the MPI may be any
/// number of calls ahead: it is found by the calls here that it has not begun.
class node_segment {
 public:
  static constexpr index_t slot_lines = 20;  ///< 1120 B of data in a slot
  static constexpr index_t slot_bytes = slot_lines * near::line_payload_bytes;
  static constexpr std::uint64_t slots = 4;
  static constexpr index_t narrow_lines =
      2;  ///< calls that need no more have slots of their own, and many: streams run far ahead
  static constexpr std::uint64_t narrow_slots = 16;
  static constexpr std::uint64_t stream_slots = 512;  ///< Open MPI sends about as many small messages ahead

  /// Makes the ranks' segments without rings. Waits give the core away at once where cores are short. Collective over
  /// the team.
  /// @throws resource_error on every rank, or on none
  node_segment(const nearfar::team& members, std::string name, bool is_short_of_cores);
  node_segment(const node_segment&) = delete;
  node_segment& operator=(const node_segment&) = delete;

  int rank() const noexcept { return rank_; }  ///< near rank
  int size() const noexcept { return size_; }  ///< near ranks

  /// Who is meant by messages between nodes, for complaints about waits on them; else "other nodes" says it. Local.
  void name_far_peers(std::function<std::string()> words) { far_peers_ = std::move(words); }

  /// Makes the rings, `bytes` (a power of two) per rank. Collective over the team. @throws resource_error on every
  /// rank, or on none
  void make_ring(index_t bytes);
  index_t ring_bytes() const noexcept { return ring_bytes_; }

  /// Makes the slots for streams. Collective over the team. @throws resource_error on every rank, or on none
  void make_stream();
  /// Is it time to ask all ranks whether one has waited long for the slots of a stream? The same on every rank. Local.
  bool is_stream_due(kind what) const noexcept { return is_time_to_ask(what, streamed_, next_question_); }
  /// Asks them, and makes more slots if one has and there is memory. Collective over the team.
  void look_at_stream();

  /// The program has made a call: what it claims to be is said next. Same number of times on every rank.
  void new_call() noexcept { ++claims_; }
  /// Says what the latest call is. Local; may be said anew, before the call begins.
  void claim(const call_claim& what) noexcept {
    spoken_claim& said = own().claims[claims_ % claims_kept];
    said.number.store(0, std::memory_order_relaxed);
    said.what.store(what.packed(), std::memory_order_release);
    said.bytes.store(what.bytes, std::memory_order_release);
    said.number.store(claims_, std::memory_order_release);  // pairs with compare_claims
    signature_ = what.signature() + claims_ * 0xbf58476d1ce4e5b9ULL;
  }

  /// The latest call turns out not to be one: the MPI refused its arguments on this rank, maybe on this rank alone.
  void forget_call() noexcept { own().claims[claims_-- % claims_kept].number.store(0, std::memory_order_release); }
  /// This rank has left a call in the middle and takes part in no more: whoever waits for it hears of that.
  void give_up() noexcept { own().has_given_up.store(1, std::memory_order_release); }  // pairs with look_around

  /// A new call, in which no rank uses more than `lines` of its slot; the same number on all ranks. In a stream ranks
  /// that send wait for nobody, unless the slots are used up.
  void begin(index_t lines = slot_lines, bool is_stream = false) noexcept {
    ++now_;
    begun_of(rank_)[now_ % begun_kept_].store(claims_ << begun_bits | (now_ & begun_mask),
                                              std::memory_order_release);  // pairs with compare_order
    mark_ = now_ | spread(signature_ + next_position_);
    latest_from_ = rank_;
    if (lines > narrow_lines) return use(width::wide, slots);
    if (is_stream) ++streamed_;
    if (is_stream && has_stream_) return use(width::stream, stream_slots);
    use(width::narrow, narrow_slots);
  }

  /// Writes my slot of this call (at most slot_bytes; 0 bytes only say that I am here). Waits while the slot is still
  /// being read. `block`: the length of a block that only sender and receiver know; a reader that expects another
  /// length does not take the data.
  void post(const void* data, index_t bytes, index_t first_line = 0, index_t block = 0) {
    if (now_ > reach_ && known_left_ < now_ - reach_) wait_for_slot();
    if (bytes == 0) {
      data = &now_;
      bytes = sizeof now_;
    }
    lines_->write(slot_of(rank_) + first_line, static_cast<const std::byte*>(data), bytes, mark_of(block));
  }

  /// Waits for a near rank's slot of this call and copies `bytes` of it.
  void collect(int from, void* to, index_t bytes, index_t first_line = 0, index_t block = 0) {
    std::uint64_t nothing = 0;
    if (bytes == 0) {
      to = &nothing;
      bytes = sizeof nothing;
    }
    latest_from_ = from;
    const near::line* lines = slot_of(from) + first_line;
    const index_t wanted = near::lines_for(bytes);
    const std::uint64_t mark = mark_of(block);
    index_t next = lines_->read(lines, static_cast<std::byte*>(to), bytes, mark, 0);
    if (next == wanted) return;
    awaited_ = {lines, mark, from, block};
    wait(from, [&] {
      next = lines_->read(lines, static_cast<std::byte*>(to), bytes, mark, next);
      return next == wanted;
    });
    awaited_ = {};
  }

  /// The block that is awaited comes in another way; -1: none.
  void expect_block(int from, index_t bytes) noexcept { awaited_ = {nullptr, 0, from, bytes}; }

  /// Says (to this rank only) that every near rank has been seen in this call, so that all have left the calls before
  /// it.
  void all_arrived() noexcept { known_left_ = now_ - 1; }

  /// Tells the others that this rank reads nothing of this call any more. Needed at the end of calls that do not end in
  /// all_arrived(). Whoever read something fetches the next slot of the same rank: in a stream of calls it is often
  /// there already.
  void leave() noexcept {
    own().left.store(now_, std::memory_order_release);  // pairs with wait_for_slot
    if (latest_from_ != rank_)
      __builtin_prefetch(narrow_slot_of(latest_from_, now_ + 1));
    else
      near::expect_writing(narrow_slot_of(rank_, now_ + 4));
  }

  /// The next `bytes` of every ring, aligned to `bytes` (a power of two, at most half of the ring); returns the
  /// position.
  std::uint64_t reserve(index_t bytes) noexcept {
    const auto length = static_cast<std::uint64_t>(bytes);
    const std::uint64_t at = (next_position_ + length - 1) / length * length;
    next_position_ = at + length;
    return at;
  }

  /// My bytes at a position; waits until nobody reads what lay there before.
  std::byte* mine(std::uint64_t position, index_t bytes) {
    const std::uint64_t end = position + static_cast<std::uint64_t>(bytes);
    if (end > known_space_) wait_for_space(end);
    return rings_.own() + (position & ring_mask_);
  }

  /// Everything of mine below `end` can be read.
  void publish(std::uint64_t end) noexcept {
    own().marks[now_ % marks_kept].store(mark_, std::memory_order_relaxed);
    own().posted.store(end, std::memory_order_release);  // pairs with theirs
  }

  bool has_published(int from, std::uint64_t end) const noexcept {
    return segment_of(from)->posted.load(std::memory_order_acquire) >= end;
  }

  /// A near rank's bytes at a position; waits until it has published them.
  const std::byte* theirs(int from, std::uint64_t position, index_t bytes) {
    const std::uint64_t end = position + static_cast<std::uint64_t>(bytes);
    if (!has_published(from, end)) wait(from, [&] { return has_published(from, end); });
    const std::uint64_t seen = segment_of(from)->marks[now_ % marks_kept].load(std::memory_order_relaxed);
    if (seen != mark_) [[unlikely]]
      judge_mark(from, seen);
    return rings_.of(from) + (position & ring_mask_);
  }

  /// I read nothing below `end` any more, in anybody's ring.
  void take(std::uint64_t end) noexcept {
    own().taken.store(end, std::memory_order_release);
  }  // pairs with wait_for_space

  /// Polls `ready` with this team's patience; `from` is the near rank named in complaints.
  template <class Ready>
  void wait(int from, Ready ready) {
    waiting_for_ = from;
    near::patience patience(policy_, name_, whom_);
    while (!ready()) patience.idle();
  }

  /// For waits on MPI inside a call: polls `ready`, which calls MPI itself.
  template <class Ready>
  void wait_in_mpi(Ready ready) {
    waiting_for_ = -1;
    near::patience patience(policy_, name_, whom_);
    while (!ready()) patience.idle_in_mpi();
  }

  near::arena& memory() const noexcept { return *arena_; }
  const nearfar::team& team() const noexcept { return members_; }

 private:
  static constexpr std::uint64_t marks_kept = 4, claims_kept = 8;  // of the latest calls
  static constexpr int count_bits = 48;                            // of a mark; above them is what tells calls apart
  static constexpr std::uint64_t begun_kept = 32;                  // more than a rank can be ahead here, but in streams
  static constexpr int begun_bits = 16;                            // of the call here; above them the program's call
  static constexpr std::uint64_t begun_mask = (1 << begun_bits) - 1;

  struct spoken_claim {
    std::atomic<std::uint64_t> number;  // 0: being written
    std::atomic<std::uint64_t> what;
    std::atomic<index_t> bytes;
  };

  struct alignas(64) rank_segment {
    alignas(64) std::atomic<std::uint64_t> posted;  ///< ring bytes below this are valid
    std::atomic<std::uint64_t> marks[marks_kept];   ///< of the calls that published them
    alignas(64) spoken_claim claims[claims_kept];   ///< read only by those who have waited long
    std::atomic<std::uint64_t> has_given_up;
    alignas(64) std::atomic<std::uint64_t> begun[begun_kept];
    alignas(64) std::atomic<std::uint64_t> left;  ///< calls up to this are over for the owner
    std::atomic<std::uint64_t> taken;             ///< the owner reads nothing below this in any ring
    near::line narrow[narrow_slots][narrow_lines];
    near::line slot[slots][slot_lines];
  };
  static_assert(sizeof(rank_segment) <= 8 << 10, "each communicator of the program has one");

  struct alignas(64) rank_stream {
    std::atomic<std::uint64_t> begun[2 * stream_slots];  ///< from here on these, and not the segment's
    near::line slot[stream_slots][narrow_lines];
  };
  enum class width { wide, narrow, stream };

  static constexpr std::uint64_t spread(std::uint64_t bits) noexcept {
    return bits * 0x9e3779b97f4a7c15ULL >> count_bits << count_bits;
  }
  std::uint64_t mark_of(index_t block) const noexcept { return mark_ ^ spread(static_cast<std::uint64_t>(block)); }

  rank_segment* segment_of(int near_rank) const noexcept {
    return reinterpret_cast<rank_segment*>(rank_segments_.of(near_rank));
  }
  rank_stream* stream_of(int near_rank) const noexcept {
    return reinterpret_cast<rank_stream*>(streams_.of(near_rank));
  }
  rank_segment& own() noexcept { return *segment_of(rank_); }
  std::atomic<std::uint64_t>* begun_of(int near_rank) const noexcept {
    return has_stream_ ? stream_of(near_rank)->begun : segment_of(near_rank)->begun;
  }
  void use(width w, std::uint64_t reach) noexcept {
    width_ = w;
    reach_ = reach;
  }
  near::line* narrow_slot_of(int r, std::uint64_t call) noexcept {
    if (width_ == width::stream) return stream_of(r)->slot[call % stream_slots];
    return segment_of(r)->narrow[call % narrow_slots];
  }
  near::line* slot_of(int r) noexcept {
    return width_ == width::wide ? segment_of(r)->slot[now_ % slots] : narrow_slot_of(r, now_);
  }
  void wait_for_slot();
  void wait_for_space(std::uint64_t end);
  void judge_mark(int from, std::uint64_t seen);
  void look_around();
  void compare_claims(int with);
  void compare_order(int with);
  std::uint64_t latest_call_of(int near_rank, bool& is_ours) const;
  void compare_block();

  struct awaited_data {
    const near::line* at = nullptr;
    std::uint64_t mark = 0;
    int from = -1;
    index_t block = 0;
  };

  nearfar::team members_;
  std::string name_;
  near::arena* arena_;
  const near::line_kernel* lines_;
  int rank_, size_;
  near::wait_policy policy_;
  int waiting_for_ = -1;
  std::function<std::string()> whom_, far_peers_;
  awaited_data awaited_;
  std::uint64_t now_ = 0, known_left_ = 0;
  std::uint64_t mark_ = 0;                    ///< of this call: its number and what tells it from others
  std::uint64_t claims_ = 0, signature_ = 0;  ///< calls of the program, and what tells the latest from others
  std::uint64_t reach_ = slots;               ///< calls after which a slot of this call's kind is used again
  int latest_from_ = 0;
  width width_ = width::wide;
  bool has_stream_ = false, has_waited_long_ = false;
  std::uint64_t begun_kept_ = begun_kept, first_kept_ = 1;  ///< calls whose beginnings are kept, and from which on
  std::int64_t streamed_ = 0, next_question_ = 2 * narrow_slots;
  std::uint64_t next_position_ = 0, known_space_ = 0, ring_mask_ = 0;
  index_t ring_bytes_ = 0;
  near::shared_segment rank_segments_, rings_, streams_;
};

/// Of a near rank.
int process_of(const node_segment& h, int near_rank) noexcept;

}  // namespace nearfar::collective
