// SPDX-License-Identifier: BSD-3-Clause
// A stream from the inside: the group of ranks that share a ring, and this rank's place in it.
#pragma once

#include <device/device.hpp>
#include <memory>
#include <near/arena.hpp>
#include <nearfar/output.hpp>
#include <optional>
#include <thread>

#include "agent.hpp"
#include "crew.hpp"
#include "formats/format.hpp"
#include "policy_trial.hpp"
#include "ring.hpp"
#include "sender.hpp"
#include "store.hpp"

namespace nearfar {

/// What a stream keeps when it is opened again with another number of writers.
struct earlier_steps {
  std::uint64_t steps = 0;
  double waited_s = 0, longest_wait_s = 0, copied_s = 0;
  std::optional<output::policy_trial> trial = std::nullopt;  // none: the stream is new
};

struct output_state {
  output_state(const team& members, std::string path, std::vector<output_array> arrays, output_options options,
               earlier_steps earlier = {});
  ~output_state();
  output_state(const output_state&) = delete;
  output_state& operator=(const output_state&) = delete;

  /// begin_step() in two parts. Returns when there is a frame; the trial may then want another number of writers.
  void await_step(const std::vector<index_t>& rows);
  index_t begin_step(double time, const std::vector<index_t>& rows);
  bool has_wanted_writers() const noexcept { return wanted_writers_ == writers_per_node_; }
  /// Collective; between steps, with all that is accepted on disk.
  static std::unique_ptr<output_state> reopened(std::unique_ptr<output_state> before);
  void put(const std::string& name, const void* data);
  void put(const std::string& name, const void* data, const std::array<index_t, max_dimensions>& strides_bytes);
  output_slot slot(const std::string& name);
  void end_step();
  void flush();
  void close();
  std::string describe() const;

  index_t steps() const noexcept { return plan_.first_step + static_cast<index_t>(accepted_); }
  index_t written_steps() const noexcept {
    return plan_.first_step + static_cast<index_t>(ring_.head().written.load(std::memory_order_acquire));
  }

 private:
  /// This rank's box in the group's frame.
  struct place {
    const output::brick* in = nullptr;  // of the layout; null: the box is empty
    index_t offset_bytes = 0;           // from the brick's first element
    std::array<index_t, max_dimensions> strides_bytes{};
    bool is_given = false;
  };

  // stream_making.cpp
  void check_arguments() const;
  void check_alike() const;
  void take_turn();
  void check_cover() const;
  void spread_varying();
  void form_group();
  void make_plan();
  index_t table_bytes(index_t bricks) const;
  void find_chunks();
  void find_places(int first_near_rank, const std::vector<box>& boxes_of_node);
  void make_ring();
  void share_ring();
  void open_store();
  std::vector<std::vector<output::brick>> parts_of_writers() const;
  void share_files();
  void choose_candidates();
  void start_writing();
  void announce_to_writer();
  void announce_far();
  void move_on() const;
  output::taker first_taker() const noexcept;

  // stream_reopening.cpp
  std::vector<int> numbers_of_writers() const;

  // stream_pinning.cpp
  void pin_frames();
  std::string describe_pinning() const;

  // stream_rows.cpp
  bool has_varying() const noexcept;
  std::vector<index_t> all_of_team(const std::vector<index_t>& mine) const;
  void check_rows(const std::vector<index_t>& rows) const;
  void lay_out_step(double time, const std::vector<index_t>& rows);
  void place_rows(const output::step_request& step);
  output::format_request request() const;

  // stream_ending.cpp
  void leave() noexcept;
  bool drain(double until) noexcept;
  bool end_agent(double until);
  void end_store(bool is_quiet);
  void end_alone();

  const output::array_shape& shape(std::size_t array) const { return plan_.layout.arrays[array]; }
  std::size_t find(const std::string& name) const;
  bool has_none(std::size_t array) const noexcept;
  std::byte* address(const place& p) const;
  void require_open(const char* call) const;
  void require_step(const char* call) const;
  template <class Over>
  void wait(Over is_over);
  void throw_failure() const;
  double bytes_per_s() const noexcept;
  void tell_progress() const;
  void wait_for_frame();
  void note_wait(double since) noexcept;
  void wait_until_durable();
  void drain_as_caller();
  void set_taker(output::taker who);
  void follow_trial();

  team members_;
  std::string path_;
  std::vector<output_array> arrays_;
  output_options options_;
  output::agent_plan plan_;
  output::step_layout now_;       // of the step that is under way
  std::vector<int> brick_ranks_;  // per brick of a varying array: whose it is, in the team
  std::vector<index_t> rows_;     // of this rank, per array; -1: does not vary
  std::vector<place> places_;
  std::vector<std::vector<std::byte>>
      ignored_;  // per array: what is written into slots of constant arrays behind the first step
  std::vector<std::vector<index_t>> chunks_;           // per array; where it is compressed
  int group_first_ = 0, group_size_ = 1, member_ = 0;  // near rank of the first member, members, this rank among them
  int depth_ = 1;
  near::block ring_memory_, letter_;  // the leader's
  near::mapping ring_mapping_;        // the others'
  std::vector<device::pinned> pinned_;
  bool is_pinning_tried_ = false, are_frames_pinned_ = false;
  std::vector<int> processes_;
  output::ring ring_;
  output::store store_;                   // the root's
  std::unique_ptr<output::agent> agent_;  // the leader's
  std::thread thread_;
  std::shared_ptr<crew_state> crew_;
  output::mailbox::ticket ticket_;
  bool has_writer_ = false;                 // a writer rank serves this ring
  bool is_stuck_ = false;                   // messages out of the ring never ended
  std::unique_ptr<output::sender> sender_;  // the leader's, where that is on another node
  earlier_steps earlier_;
  output::policy_trial trial_;
  int writers_per_node_ = 1, wanted_writers_ = 1;
  std::uint64_t accepted_ = 0;
  bool is_in_step_ = false, is_closed_ = false, was_told_ = false;
  double time_ = 0, waited_s_ = 0, longest_wait_s_ = 0, copied_s_ = 0;

  bool is_leader() const noexcept { return member_ == 0; }
};

}  // namespace nearfar
