// SPDX-License-Identifier: BSD-3-Clause
// The notification table of a plan: by it each near rank tells another that something can be read, and where.
//
//   in reader R's block, for each sender S and stream:  notice[0], notice[1]    S writes, R reads
//   in sender S's block, for each reader R and stream:  taken, refused          R writes, S reads
//
//   epoch n   S: when taken >= n-2 of all that it notified then: packs if needed, notice[n mod 2] = {where, n}
//             R: when the notice has epoch n: reads there, taken = n
//
// The epoch of a notice is stored last (release) and loaded first (acquire). S packs into or changes what it has
// announced only when `taken` has reached that epoch, so R never reads what S is writing.
//
// Near memory may be there that a reader cannot map any more: its owner has become another user's or unreadable, no
// descriptor is left. And packing space may be ordinary memory, where files may not grow.
//
//             S: what it packs lies in ordinary memory: a notice without a place, and a message
//             R: cannot map: refused = n, and receives the message; when it has come, reads there, taken = n
//             S: until taken = n: sends a message where refused = n
//
// So that S is there to answer, it waits at the end of the operation for readers that have not mapped that memory
// before (posted() tells); memory that they have mapped, they keep.
#pragma once

#include <array>
#include <atomic>
#include <far/lease_pool.hpp>
#include <far/single_message.hpp>
#include <functional>
#include <memory>
#include <near/past_caches.hpp>
#include <near/patience.hpp>
#include <near/shared_segment.hpp>
#include <near/signal.hpp>
#include <tune/online_tuning.hpp>
#include <vector>

#include "packing_ring.hpp"

namespace nearfar::irregular {

/// Independent sequences of epochs between the same ranks.
enum class stream : std::uint8_t { request, gather, scatter, relay };
inline constexpr std::size_t streams = 4;

/// How what can be read lies.
enum class layout : std::int32_t {
  whole,     ///< the whole array, to be read by the reader's list
  in_order,  ///< one after another, as the reader wants it
  streamed,  ///< the same, stored past the caches: to be fetched ahead
};

/// What a sender posts.
struct posted_data {
  near::handle where;
  index_t bytes;
  layout lies;
  const std::byte* packed;  ///< the same in packing space, for readers that cannot map it; null: it is read in place
};

/// Of what a sender posts in a call of a race (near_tuner.hpp): the method that was to be taken, and when it was
/// posted.
struct race_mark {
  std::int16_t method = -1;
  double at_s = 0;  ///< seconds_now(); 0: not to be measured
};

/// A line that says that something can be read. The epoch is stored last.
struct alignas(near::cache_line_bytes) notice {
  std::atomic<std::uint64_t> epoch;
  near::handle where;
  std::int64_t bytes;
  layout lies;
  std::int16_t method;
  bool is_in_place;
  double at_s;
};
static_assert(sizeof(notice) == near::cache_line_bytes);

/// What a near rank has posted and this one can read.
struct arrival {
  const notice* what = nullptr;  ///< null: not there yet
  const std::byte* from = nullptr;
  layout lies = layout::in_order;
};

/// A line that tells all near ranks what one of them measured. The stamp is stored last.
struct alignas(near::cache_line_bytes) tally {
  std::atomic<std::uint64_t> stamp;
  tune::online_tuning::figures measured;
};
static_assert(sizeof(tally) == near::cache_line_bytes);

/// Notification tables are made once per team and lent to plans, so that a plan that is made or remade exchanges no
/// addresses. Epochs go on when a table is lent again.
///
/// Two notices per stream and pair: that of epoch n may be written when that of the same slot has been taken. A rank
/// posts to any of its near ranks in any epoch; the others' epochs are simply skipped.
class notification_table {
 public:
  explicit notification_table(const team& members);  ///< collective over the team. @throws resource_error on every rank
  ~notification_table();
  notification_table(const notification_table&) = delete;
  notification_table& operator=(const notification_table&) = delete;

  std::uint64_t next_epoch(stream s) noexcept { return ++epochs_[static_cast<std::size_t>(s)]; }

  /// True when all notices and packed data of this slot have been taken: ask before each epoch's first post or packing.
  bool has_free_slot(stream s, std::uint64_t epoch);
  /// This rank's memory for what is packed in that epoch, near memory or, where there is none, ordinary memory. Valid
  /// until the epoch after next. What is stored past the caches has memory of its own: lines that have been in caches
  /// take longer.
  std::byte* packing_space(stream s, std::uint64_t epoch, index_t bytes, near::stores how = near::stores::ordinary);
  const near::handle& packing_place(stream s, std::uint64_t epoch) noexcept { return slot_of(s, epoch).place; }

  /// @return whether the reader may refuse it: then answer() must be called until has_free_slot() is true for this
  ///         epoch, whatever else this rank waits for
  bool post(stream s, std::uint64_t epoch, int near_rank, const posted_data& what, const race_mark& mark = {});
  /// Sends messages to those who have refused this epoch's post.
  void answer(stream s, std::uint64_t epoch);
  /// Packs what was posted to be read in place, for a near rank that has refused it; the memory stays until it is asked
  /// for again. Set by whoever posts such.
  std::function<const std::byte*(int near_rank)> pack_refused;

  bool has_arrived(stream s, std::uint64_t epoch, int near_rank) const noexcept;
  /// What that near rank has posted: where it lies, mapped at the first time, or what came in a message.
  arrival arrived(stream s, std::uint64_t epoch, int near_rank);
  void take(stream s, std::uint64_t epoch, int near_rank) noexcept;
  bool is_taken(stream s, std::uint64_t epoch, int near_rank) const noexcept;
  /// Messages are in flight: whoever waits must let the MPI progress.
  bool has_messages() const noexcept { return open_messages_ > 0; }

  /// What ranks measured, told to all near ranks under a number (below tallies) and a stamp that goes up by one from
  /// one telling to the next; the one after next replaces it, so tell again only when all have told the last one.
  /// Local.
  static constexpr std::size_t tallies = 8;
  void tell(std::size_t number, std::uint64_t stamp, const tune::online_tuning::figures& measured) noexcept;
  /// Null until that near rank, another one, has told it.
  const tune::online_tuning::figures* told(std::size_t number, std::uint64_t stamp, int near_rank) const noexcept;
  int near_size() const noexcept { return static_cast<int>(peers_.size()); }
  int near_rank() const noexcept { return near_rank_; }

  /// A number that no telling in this table has had before; ranks call it in the same order and get the same. Local.
  std::uint32_t next_session() noexcept { return ++sessions_; }

  near::arena& arena() const noexcept { return *arena_; }
  const near::wait_policy& waiting() const noexcept { return policy_; }
  /// Then a rank that continues with its own work keeps the core from near ranks that could continue.
  bool is_short_of_cores() const noexcept { return policy_.spins == 0; }
  void spoil() noexcept { is_spoilt_ = true; }  ///< after an error in the middle of an epoch: never to be lent again
  bool is_spoilt() const noexcept { return is_spoilt_; }

 private:
  /// What one near rank writes and this one reads.
  struct inbox {
    notice notices[streams][2];
    near::signal taken[streams], refused[streams];  ///< of what this rank posted
  };
  using chunk_key = decltype(near::handle{}.chunk_key());
  struct known_memory {
    chunk_key chunk{};
    near::mapping memory;
  };
  /// What comes in a message in place of what cannot be mapped.
  struct replacement {
    std::uint64_t epoch = 0;
    std::vector<std::byte> bytes;
    far::single_message message;
  };
  struct peer {
    int rank = 0;             ///< in the team
    inbox* mine = nullptr;    ///< in this rank's block
    inbox* theirs = nullptr;  ///< in the peer's block
    const tally* tallies = nullptr;
    std::vector<known_memory> arrays;                     ///< read in place, the last used first
    std::array<known_memory, 2 * streams> packing_space;  ///< of each stream, ordinary and past the caches
    std::array<chunk_key, 2 * streams> knows{};           ///< what the peer has mapped of this rank's
    std::array<replacement, streams> instead;
  };
  struct posting {
    int near_rank;
    const std::byte* packed;
    index_t bytes;
    bool is_sent = false;
    far::single_message message{};
  };
  struct slot {
    std::vector<posting> posted;  ///< to near ranks that have not been seen to take the epoch below
    std::uint64_t epoch = 0;
    near::handle place;  ///< of what is packed
  };
  static std::size_t space_of(stream s, layout lies) noexcept {
    return 2 * static_cast<std::size_t>(s) + (lies == layout::streamed ? 1 : 0);
  }
  const std::byte* map(stream s, int near_rank, const notice& n);
  bool is_over(stream s, std::uint64_t epoch, posting& p);
  void send(stream s, posting& p);
  bool is_over(far::single_message& m);
  far::envelope envelope_of(stream s, int near_rank) const {
    return {comm_, peers_[as_size(near_rank)].rank, first_tag_ + static_cast<int>(s)};
  }
  slot& slot_of(stream s, std::uint64_t epoch) noexcept { return slots_[static_cast<std::size_t>(s)][epoch & 1]; }

  near::arena* arena_;
  MPI_Comm comm_;
  int first_tag_;  ///< of one tag per stream
  near::wait_policy policy_;
  near::shared_segment segment_;
  near::part<tally> tallies_;  ///< two per number, in turn
  std::vector<peer> peers_;    ///< by near rank; this rank's own is empty
  std::array<std::array<slot, 2>, streams> slots_;
  std::array<packing_ring, streams> rings_, rings_past_caches_;
  std::array<std::uint64_t, streams> epochs_{};
  int near_rank_, open_messages_ = 0;
  std::uint32_t sessions_ = 0;
  bool is_spoilt_ = false;
};

using notification_lease = far::lease_pool<notification_table>::lease;
/// Collective over the team.
notification_lease borrow_notification_table(const team& members);

}  // namespace nearfar::irregular
