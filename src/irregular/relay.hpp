// SPDX-License-Identifier: BSD-3-Clause
// Gathers (methods `once…`) in which an element of a far owner is sent to a node once:
//
//   owner, node A  ── one message ──>  receiver, node B: its area in near memory  ── notice ──>  readers on node B
//
// The owner chooses the receiver among the ranks of the node that want elements of it (relay_lists.hpp). Every reader
// copies its ghosts from the receiver's area and takes the notice. A receiver has two areas in turn, so it waits for
// readers only if they are two gathers behind.
#pragma once

#include <map>
#include <nearfar/irregular_plan.hpp>
#include <optional>
#include <span>
#include <tuple>

#include "far_route.hpp"
#include "relay_lists.hpp"

namespace nearfar::irregular {

/// One gather at a time.
class relay {
 public:
  relay(const team& members, notification_table& b, const std::string& name)
      : members_(members), notifications_(b), name_(name) {}

  /// Other lists than before.
  void forget() { lists_.reset(), routes_.clear(); }
  void keep_routes_of(const std::string& transport);

  /// A gather; the arrays are kept until it is over. Collective over the team at the first call with these lists,
  /// method or size of elements. `wait(done)` polls until done() is true.
  template <class Wait>
  void start(const inspection& here, const routes& to, std::span<const moved_array> arrays, index_t element_bytes,
             const std::string& transport, Wait wait) {
    if (!lists_) lists_ = make_relay_lists(members_, here, to);
    epoch_ = notifications_.next_epoch(stream::relay);
    if (!lists_->in.empty() && !notifications_.has_free_slot(stream::relay, epoch_))
      wait([&] { return notifications_.has_free_slot(stream::relay, epoch_); });
    begin(arrays, element_bytes, transport);
  }
  /// Makes progress; true when all ghosts of far owners are there and the sources are the caller's again.
  bool advance();
  bool is_open() const noexcept { return is_open_ || !pending_.empty(); }
  /// For readers that refuse what this rank has received for them (notification_table.hpp).
  void answer();
  bool is_all_taken();
  bool has_messages() const noexcept { return is_open_; }
  std::string awaited() const;

  /// Null until the first gather.
  const relay_lists* lists() const noexcept { return lists_ ? &*lists_ : nullptr; }

 private:
  /// Readings from one receiver: first … end - 1.
  struct from_receiver {
    int receiver;
    std::size_t first, end;
  };
  void begin(std::span<const moved_array> arrays, index_t element_bytes, const std::string& transport);
  void group_readings();
  void pack(const share& s, std::byte* to) const;
  void post();
  bool take(const from_receiver& r);
  void read(const reading& r, const std::byte* from) const;

  team members_;
  notification_table& notifications_;
  const std::string& name_;
  std::optional<relay_lists> lists_;
  std::map<std::tuple<std::string, index_t>, std::unique_ptr<far_route>> routes_;

  packing_area out_area_;

  // The gather in flight.
  std::span<const moved_array> arrays_;
  index_t element_bytes_ = 0;
  std::uint64_t epoch_ = 0;
  far_route* route_ = nullptr;
  std::byte* area_ = nullptr;  ///< where this rank receives
  bool is_open_ = false;       ///< messages are under way
  bool must_be_taken_ = false;
  std::vector<from_receiver> pending_;
};

}  // namespace nearfar::irregular
