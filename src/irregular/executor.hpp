// SPDX-License-Identifier: BSD-3-Clause
// Carries out one movement at a time: near ranks by the notification table, far ranks by messages, and combines in the
// order that all methods keep.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <near/past_caches.hpp>
#include <nearfar/irregular_plan.hpp>
#include <optional>
#include <span>
#include <utility>

#include "choice.hpp"
#include "discovery.hpp"
#include "far_route.hpp"
#include "near_tuner.hpp"
#include "relay.hpp"

namespace nearfar::irregular {

/// What a plan knows after inspection and discovery.
struct plan_lists {
  inspection here;
  routes to;
  index_map map;
  bool has_near = false, has_far = false;  ///< on any rank of the team
};

/// The own part of a canonical scatter, which has its turn among the ranks.
struct own_turn {
  const std::byte* values = nullptr;
  std::byte* ghosts = nullptr;  ///< scratch
};

class executor {
 public:
  executor(const team& members, notification_table& b, std::string name, int threads = 1);

  /// New lists or another method; nothing is in flight.
  void use(const plan_lists* lists, const choice& how);
  /// From now on the methods between near ranks are raced while the plan is used, where it has such and no rank is far.
  /// The same on all ranks.
  void race_again();
  void stop_races() { tuner_.reset(); }
  /// The methods in use now, as a name; null where they have not changed since it was last asked.
  std::optional<std::string> new_near_name();
  int later_races() const noexcept { return tuner_ ? tuner_->races() : 0; }

  /// At most irregular_plan::max_arrays arrays. `how` is null for gather; it and the own turns are kept until finish().
  /// `is_rewritten`: this rank has written the sources in random order and will again. They are packed then: lines that
  /// a reader has taken into its cache would be missed one by one.
  void start(movement_kind kind, std::span<const moved_array> arrays, const nearfar::detail::combiner* how,
             std::span<const own_turn> own = {}, bool is_rewritten = false);
  bool advance();
  void finish();
  bool is_over();               ///< finish() would not wait; makes progress
  std::string awaited() const;  ///< ranks that are missing in the movement in flight, and what of them

  /// use() must follow.
  void forget_routes() { routes_.clear(), relay_.forget(); }
  void keep_routes_of(const choice& how);
  const relay_lists* relayed() const noexcept { return relay_.lists(); }

 private:
  struct found_memory {
    const std::byte* first = nullptr;
    index_t bytes = 0;
    std::uint64_t generation = 0;
    near::handle where;
  };

  bool uses_shared_memory(int near_rank) const { return near_rank >= 0 && !is_near_by_messages_; }
  bool may_be_raced() const;
  std::vector<int> near_ranks_of(const std::vector<share>& shares) const;
  near::handle find(const std::byte* at, index_t bytes);
  bool is_relayed() const { return kind_ == movement_kind::gather && how_.crosses_once() && lists_->has_far; }
  far_route* route_for(index_t element_bytes);
  void start_far();
  void start_messages();
  void start_near();
  void choose_method();
  void post();
  void fall_back();
  void post_by(near_method method);
  void post_direct(const near::handle& place);
  void post_packed(near_method method);
  race_mark mark() const;
  const std::byte* packed_for(int near_rank);
  void note_read(const notice& n);
  void end_measurement();
  void pack(const share& s, std::byte* to, near::stores how = near::stores::ordinary) const;
  void deliver(const share& s, const std::byte* from, layout lies = layout::in_order) const;
  void read(const share& s, const arrival& a) const;
  bool take_near(std::size_t i);
  bool advance_copies();
  bool advance_combining();
  void take_own_turn();
  bool is_far_there();
  bool is_all_taken();
  template <class Done>
  void wait(Done done);

  team members_;
  notification_table& notifications_;
  std::string name_;
  int threads_;
  std::function<std::string()> whom_;
  const plan_lists* lists_ = nullptr;
  choice how_;
  bool is_near_by_messages_ = true;     ///< of how_
  near_method gathers_{}, scatters_{};  ///< the same
  std::optional<near_tuner> tuner_;     ///< none: these stay
  std::vector<int> near_owners_, near_wanters_, near_out_referees_, near_in_referees_;
  using routes_by_size = std::map<std::pair<movement_kind, index_t>, std::unique_ptr<far_route>>;
  std::map<std::string, routes_by_size> routes_;  ///< by the name of a choice
  routes_by_size* routes_here_ = nullptr;         ///< of the one in use
  relay relay_;
  /// Of the elements that others want, and of the ghosts.
  packing_area wanted_area_, ghost_area_;
  std::map<int, std::vector<std::byte>> refused_;  ///< packed for near ranks that could not map what was posted
  std::array<found_memory, 4> found_;
  std::size_t next_found_ = 0;

  // The movement in flight.
  movement_kind kind_{};
  movement what_;
  const std::vector<int>*near_out_ = nullptr, *near_in_ = nullptr;
  std::array<moved_array, irregular_plan::max_arrays> arrays_;
  std::array<own_turn, irregular_plan::max_arrays> own_;
  std::size_t count_ = 0;
  index_t element_bytes_ = 0;  ///< of all arrays together
  const nearfar::detail::combiner* combine_ = nullptr;
  std::uint64_t epoch_ = 0;
  far_route* route_ = nullptr;
  std::byte* in_ = nullptr;  ///< where what comes in messages goes
  bool is_rewritten_ = false, is_far_open_ = false, is_far_in_place_ = false, has_own_turn_ = false,
       must_be_taken_ = false;
  near_method method_{};
  bool is_timed_ = false;                      ///< a call of a race:
  double out_s_ = 0, in_s_ = 0, since_s_ = 0;  ///< work so far, and since when this rank has been free to read
  bool is_pure_ = false;                       ///< all that came went by this rank's method
  std::vector<std::size_t> pending_;           ///< of a gather: incoming near shares
  std::size_t next_in_ = 0;                    ///< of a combining movement
  std::size_t next_part_ = 0;                  ///< of what comes in messages to it
};

}  // namespace nearfar::irregular
