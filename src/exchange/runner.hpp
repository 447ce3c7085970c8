// SPDX-License-Identifier: BSD-3-Clause
// A runner carries out epochs of an exchange with one choice of methods.
#pragma once

#include <base/in_flight.hpp>
#include <base/spin_lock.hpp>
#include <memory>
#include <string>

#include "transport.hpp"

namespace nearfar::exchange {

/// Names of the methods for near and for far peers; equal names mean one transport for all.
struct choice {
  std::string near, far;

  /// "NEAR+FAR", or the one name that matters.
  std::string name(const context& c) const;
  /// Reads a pinned name. @throws usage_error for names that do not exist or cannot be had here
  static choice parse(const context& c, const std::string& name);
  friend bool operator==(const choice&, const choice&) = default;
};

class runner : private in_flight {
 public:
  /// Makes the transports. Collective over the team.
  runner(context& c, const choice& what);
  ~runner() override;

  void start();
  bool poll();
  void finish();
  std::string awaited() const { return whom_(); }  ///< the ranks that are missing, and what of them
  bool can_rebind() const;  ///< all transports can follow to where the pattern's buffers are by now
  void rebind();            ///< they do; where they can
  const choice& methods() const noexcept { return what_; }

 private:
  void move_on() override;
  bool poll_transports();
  bool poll_put_off();
  void poll_far();
  void start_near();
  void find_own_moves();
  void move_own();
  void read_lent();

  context& c_;
  choice what_;
  std::unique_ptr<transport> far_, near_;
  flow* own_send_ = nullptr;
  flow* own_receive_ = nullptr;
  std::vector<joint_walk> own_moves_;  ///< straight from region to region; empty: through own_message_
  std::vector<std::byte> own_message_;
  std::function<std::string()> whom_;
  std::uint64_t epoch_ = 0;
  bool is_far_done_ = true, is_near_done_ = true;
  bool puts_near_off_ = false;    ///< of every start: see overlap_switch
  bool is_near_put_off_ = false;  ///< until far messages have arrived (overlap())
  double put_off_until_s_ = 0;    ///< when they had; 0: not yet
  bool is_read_ = true;           ///< lending: the reader has had its turn in this epoch
  std::vector<lent_box> lent_;    ///< of all receives
  bool is_waited_for_ = false;    ///< by peers that cannot finish before this rank polls
  spin_lock polling_;
};

}  // namespace nearfar::exchange
