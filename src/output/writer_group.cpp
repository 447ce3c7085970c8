// SPDX-License-Identifier: BSD-3-Clause
// Making a group: its ring, and who takes from it; what can fail does so on all ranks or on none.
#include "writer_group.hpp"

#include <unistd.h>
#include <base/internals.hpp>

#include <algorithm>
#include <base/clock.hpp>
#include <far/talk.hpp>
#include <topology/agree.hpp>
#include <topology/team_state.hpp>

namespace nearfar::output {

void writer_group::form(int writers_per_node) {
  const int near = members_.near_size(), rank = members_.near_rank();
  const int groups = near::arena::of(members_).is_shared() ? std::min(writers_per_node, near) : near;
  const int group = static_cast<int>(index_t{rank} * groups / near);
  const auto first_of = [&](int g) { return static_cast<int>((index_t{g} * near + groups - 1) / groups); };
  extent_.first = first_of(group);
  extent_.size = first_of(group + 1) - extent_.first;
  member_ = rank - extent_.first;
  extent_.is_leader = member_ == 0;
}

void writer_group::make_ring() {
  agree(members_, [&] { allocate_ring(); });
  share_ring();
}

void writer_group::allocate_ring() {
  const index_t frame = layout_.plan().layout.frame_bytes;
  depth_ = options_.policy == output_policy::synchronous ? 1 : options_.depth;
  if (options_.most_bytes > 0 && frame > 0)
    depth_ = static_cast<int>(std::min<index_t>(depth_, options_.most_bytes / frame));
  if (depth_ < 1)
    throw resource_error(text("most_bytes of ", path_, " is ", options_.most_bytes, ", but one frame on ",
                              state_of(members_).host, " has ", frame, " bytes, which is the least that is possible"));
  if (!is_leader()) return;
  ring_memory_ = near::arena::of(members_).allocate(ring::bytes(extent_.size, depth_, frame));
  ring_ = ring(ring_memory_.data(), extent_.size, depth_, frame);
}

void writer_group::share_ring() {
  near::arena& memory = near::arena::of(members_);
  struct introduction {
    near::handle at;
    int process;
  } mine{{}, getpid()};
  if (is_leader() && memory.is_shared()) mine.at = memory.find(ring_memory_.data(), 1);
  const auto near = far::all_of_node(members_, std::vector<introduction>{mine});
  for (int m = 0; m < extent_.size; ++m) processes_.push_back(near[as_size(extent_.first + m)].process);
  agree(members_, [&] {
    if (!is_leader()) {
      const near::handle& h = near[as_size(extent_.first)].at;
      ring_mapping_ = memory.attach(h);
      ring_ = ring(ring_mapping_.at(h), extent_.size, depth_, layout_.plan().layout.frame_bytes);
    }
    ring_.touch();
    ring_.member_state(member_).process = getpid();
  });
}

void writer_group::open_files() {
  agree(members_, [&] {
    if (is_leader()) step_writer_ = std::make_unique<step_writer>(layout_.plan(), ring_);
  });
}

bool writer_group::has_no_writer_anywhere() {
  if (options_.writers != nullptr) writers_ = state_of(*options_.writers).shared_from_this();
  if (writers_ && options_.policy != output_policy::synchronous && options_.policy != output_policy::thread)
    has_writer_ = writers_->wires || (writers_->queue && near::arena::of(members_).is_shared());
  return everywhere(state_of(members_), !(is_leader() && has_writer_));
}

// What has been announced is called back if it cannot be on some rank; the thread comes last, when nothing can fail any
// more.
void writer_group::start(taker first) {
  try {
    agree(members_, [&] {
      if (is_leader() && has_writer_) announce();
    });
  } catch (const error&) {
    leave();
    ring_.head().end = ending::abandon;
    if (is_leader()) end_writer();
    throw;
  }
  if (!is_leader()) return;
  const bool has_thread = options_.policy == output_policy::thread || options_.policy == output_policy::automatic ||
                          (options_.policy == output_policy::writer && !has_writer_);
  if (has_thread)
    thread_ =
        quiet_thread([](void* self) { static_cast<step_writer*>(self)->serve(taker::thread); }, step_writer_.get());
  set_taker(first);
}

void writer_group::announce() {
  if (writers_->wires) return announce_far();
  near::arena& memory = near::arena::of(members_);
  const auto bytes = layout_.plan().to_bytes();
  plan_memory_ = memory.allocate(as_index(bytes.size()));
  std::copy(bytes.begin(), bytes.end(), plan_memory_.data());
  control_queue::control_message l;
  l.ring = memory.find(ring_memory_.data(), 1), l.plan = memory.find(plan_memory_.data(), as_index(bytes.size()));
  l.plan_bytes = as_index(bytes.size()), l.frame_bytes = layout_.plan().layout.frame_bytes;
  l.members = extent_.size, l.depth = depth_;
  queue_place_ = writers_->queue.post(l);
}

// Rings are dealt out in the order of their numbers.
void writer_group::announce_far() {
  const auto& writers = writers_->far_writers;
  const int writer = writers[as_size(layout_.plan().writer) % writers.size()];
  sender_ = std::make_unique<sender>(writers_->wires->comm(), writer, writers_->channels++, layout_.plan(), ring_);
}

void writer_group::set_taker(taker who) {
  if (!is_leader()) return;
  ring_.head().who = who == taker::process && !has_writer_ ? taker::thread : who;
  ring_.head().for_taker.ring();
}

}  // namespace nearfar::output
