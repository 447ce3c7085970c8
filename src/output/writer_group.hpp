// SPDX-License-Identifier: BSD-3-Clause
// Near ranks that share a ring, this rank among them, and the writer that takes frames out of it.
#pragma once

#include <memory>
#include <near/shared_segment.hpp>
#include <nearfar/output.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "output_writers.hpp"
#include "ring.hpp"
#include "sender.hpp"
#include "step_writer.hpp"
#include "stream_layout.hpp"

namespace nearfar::output {

/// Of a stream with this path, options and layout, which outlive it. Where nothing else is said, calls are local.
class writer_group {
 public:
  writer_group(const team& members, const std::string& path, const output_options& options, const stream_layout& layout)
      : members_(members), path_(path), options_(options), layout_(layout) {}
  ~writer_group();
  writer_group(const writer_group&) = delete;
  writer_group& operator=(const writer_group&) = delete;

  // making: writer_group.cpp
  /// Consecutive near ranks; each alone where they cannot share memory.
  void form(int writers_per_node);
  const group_extent& extent() const noexcept { return extent_; }
  bool is_leader() const noexcept { return extent_.is_leader; }
  /// Collective. @throws resource_error  on every rank: no memory for a frame, or most_bytes is less than that
  void make_ring();
  /// Collective. The plan is complete, its files are there. @throws io_error  on every rank
  void open_files();
  /// Whether no node has a writer rank for its rings. Collective; once, before start().
  bool has_no_writer_anywhere();
  /// Collective; the last thing that may fail. @throws io_error
  void start(taker first);
  /// Where the node has no writer to spare, a thread writes.
  void set_taker(taker who);

  // steps: writer_group_steps.cpp
  std::byte* frame() const { return ring_.frame(accepted_); }  ///< of the step to come, or under way
  const ring& frames() const noexcept { return ring_; }
  std::uint64_t accepted() const noexcept { return accepted_; }  ///< steps that were handed over
  index_t steps() const noexcept { return layout_.plan().first_step + static_cast<index_t>(accepted_); }
  index_t written_steps() const noexcept;
  /// @throws io_error  a step before could not be written, or who writes has died
  void wait_for_frame();
  void hand_over(double time);
  bool is_written_by_caller() const noexcept { return ring_.head().who.load() == taker::caller; }
  /// What the first rank of the group writes, while the others wait for it; errors are those of the next wait.
  void write_as_caller();
  /// @throws io_error
  void wait_until_durable();
  void move_on() const;  ///< messages to a writer elsewhere, where no thread may send them
  std::string describe() const;

  // ending: writer_group_ending.cpp
  /// This rank has no more steps: who takes from the ring finds out.
  void leave() noexcept;
  void end_as(ending how) noexcept;  ///< unless it was told already
  /// Ends the thread and the writer's service. False: one of them is stuck and keeps what it needs. On the leader.
  bool end_writer();
  /// Writes what is whole, for up to linger_s; a warning tells of the rest. True: all is written. On the leader; no MPI
  /// calls but for a far writer.
  bool end_alone(bool was_told);

 private:
  void allocate_ring();
  void share_ring();
  void announce();
  void announce_far();
  template <class Over>
  void wait(Over is_over);
  void throw_failure() const;
  double bytes_per_s() const noexcept;
  void tell_progress() const;
  bool drain(double until) noexcept;
  bool end_writer(double until);

  const team& members_;
  const std::string& path_;
  const output_options& options_;
  const stream_layout& layout_;
  group_extent extent_;
  int member_ = 0, depth_ = 1;
  near::shared_segment ring_memory_;  // the leader's, of whom the others are readers
  near::block plan_memory_;           // the leader's
  std::vector<int> processes_;        // of all members
  ring ring_;
  std::unique_ptr<step_writer> step_writer_;  // the leader's
  std::thread thread_;
  std::shared_ptr<output_writers_state> writers_;
  control_queue::place queue_place_;
  bool has_writer_ = false;         // a writer rank serves this ring
  bool is_stuck_ = false;           // messages out of the ring never ended
  std::unique_ptr<sender> sender_;  // the leader's, where that is on another node
  std::uint64_t accepted_ = 0;
};

}  // namespace nearfar::output
