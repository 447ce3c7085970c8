// SPDX-License-Identifier: BSD-3-Clause
// A transport carries the flows of one exchange for some of its peers, by one method; the registry names the methods.
#pragma once

#include <base/internals.hpp>
#include <cstdint>
#include <exchange/exchange.hpp>
#include <functional>
#include <memory>
#include <near/arena.hpp>
#include <near/doorbells.hpp>
#include <near/patience.hpp>
#include <nearfar/team.hpp>
#include <string>
#include <topology/team_state.hpp>
#include <vector>

#include "flow.hpp"

namespace nearfar::exchange {

/// What all transports of one exchange share.
struct context {
  explicit context(const team& t) : members(t) {}
  context(const context&) = delete;  // transports keep references to it and to its flows
  context& operator=(const context&) = delete;

  team members;
  pattern what;
  box_reader* reader = nullptr;  ///< null: what arrives is copied
  std::string name;
  near::arena* arena = nullptr;
  const near::doorbells* doorbells = nullptr;
  near::wait_policy waiting;
  int tags = 0;                            ///< first of four tags that are this exchange's own
  std::vector<flow> sends, receives;       ///< by ascending peer; this rank itself included
  index_t longest_far_bytes = 0;           ///< of a message between any two far ranks of the team
  bool has_near = false, has_far = false;  ///< on any rank of the team
  bool is_made_locally = false;            ///< without communication: nothing can be agreed on
  /// Moves far messages on; near transports call it between parts of long copies. Empty where nobody is far.
  std::function<void()> meanwhile{};
  bool goes_past_caches = false;    ///< what this rank receives would fill its share of the last-level cache
  bool exceeds_core_cache = false;  ///< or what its core has for itself

  /// A near rank is to be woken once this one has done all that it can: who is woken may be given this rank's core.
  void ring_later(int near_rank) {
    if (doorbells->may_nap()) to_ring.push_back(near_rank);
  }
  void ring_now() {
    for (const int r : to_ring) doorbells->ring(r);
    to_ring.clear();
  }
  std::vector<int> to_ring{};  ///< near ranks
};

inline const team_state& state_of(const context& c) noexcept { return nearfar::state_of(c.members); }

/// A step of making the plan that one rank may fail in alone, for want of memory: all ranks throw then.
void agree_if_collective(const context& c, const std::function<void()>& step);

/// Which peers a transport serves.
enum class peers { near, far, all };

/// The flows of `list` that a transport for `which` serves (never this rank's own).
std::vector<flow*> select(std::vector<flow>& list, peers which);

/// Which receive of the pattern it is.
inline std::size_t place_of(const context& c, const transfer& receive) {
  return static_cast<std::size_t>(&receive - c.what.receives.data());
}

class transport {
 public:
  virtual ~transport() = default;
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;

  /// Posts, packs and signals for epoch 1, 2, 3 …; must not wait for a peer's start of the same epoch.
  virtual void start(std::uint64_t epoch) = 0;
  /// Makes progress; true once all has been delivered and the sending regions are the caller's again.
  virtual bool poll() = 0;
  /// Whether poll() asks MPI now. If not, near ranks ring this one's doorbell whenever there is something to do.
  virtual bool asks_mpi() const noexcept = 0;
  /// Whether peers cannot finish before this rank polls.
  virtual bool is_waited_for() const noexcept { return false; }
  /// Whether this transport could follow to where the pattern's buffers are by now (between epochs). Changes nothing.
  virtual bool can_rebind() const { return true; }
  /// Follows: the pieces of the flows have moved.
  virtual void rebind() = 0;
  /// Lending: all can be read, though peers still wait for release(), and show() says where those boxes lie that are
  /// not in the pattern's regions. A transport that delivers everything need not know of it: it has arrived when poll()
  /// says so.
  virtual bool has_arrived() const noexcept { return false; }
  virtual void show(std::span<lent_box>) const {}
  virtual void release() {}
  /// Whether what this rank sends itself is to be stored past the caches, as what it receives is.
  virtual bool stores_past_caches() const noexcept { return false; }
  /// For the watchdog: who is still missing.
  virtual std::string waiting_for() const = 0;
};

struct method_entry {
  method_info about;
  bool (*is_available)(const context&);  ///< same answer on every rank
  /// Collective over the team, and throws on all ranks or on none; unless `is_local`.
  std::unique_ptr<transport> (*make)(context&, peers, const std::string& method);
  /// Whether the tuner should try it on this exchange; null: always. Same answer on every rank.
  bool (*is_worthwhile)(const context&) = nullptr;
  /// Made without communication, and knows nothing of peers but their ranks.
  bool is_local = false;
};

const std::vector<method_entry>& registry();
/// @throws usage_error naming all methods
const method_entry& entry_named(const std::string& name);
/// Near and far peers are served from one segment.
bool is_one_segment_for_all(const std::string& name);

/// Where near ranks ring, a rank yields a few times before it sleeps: a rank of the same core that has little left to
/// do needs less than falling asleep and being woken take (figures: bench/report.py --show notes-transpose).
inline constexpr int polls_before_nap = 4;

/// Waits in patience until `done` is true; `asks_mpi` tells whether it asks MPI in its next call. Nobody sleeps who
/// asks MPI, not even when it has begun to in the last look before a nap: no near rank would ring.
template <class Done, class AsksMpi>
void wait_until(const context& c, const std::function<std::string()>& whom, Done done, AsksMpi asks_mpi) {
  near::patience p(c.waiting, c.name, whom);
  using nap = near::doorbells::nap;
  int polls = 0;
  bool is_over = done();
  const auto look = [&] { return (is_over = done()) || asks_mpi(); };
  while (!is_over) {
    if (asks_mpi())
      p.idle_in_mpi();
    else if (!c.doorbells->may_nap() || polls++ < polls_before_nap)
      p.idle();
    else if (const nap was = c.doorbells->nap_unless(look); was == nap::slept_out || was == nap::disturbed)
      p.idle_after_nap();
    if (!is_over) is_over = done();
  }
}

}  // namespace nearfar::exchange
