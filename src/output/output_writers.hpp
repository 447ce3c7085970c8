// SPDX-License-Identifier: BSD-3-Clause
// Computing ranks and writer ranks; the control messages by which computing ranks ask the writer rank of their node to
// serve a ring.
#pragma once

#include <atomic>
#include <memory>
#include <near/shared_segment.hpp>
#include <nearfar/output.hpp>
#include <optional>
#include <vector>

#include "ring.hpp"

namespace nearfar::output {

/// In the writer's near memory, for all computing ranks of its node. A place's word has a state and a number that grows
/// with each message:
///
///   free ── post ──> busy ── text written ──> posted ── take ──> busy ── text read ──> free
///                                             posted ── withdraw ──> free
///
/// post, take and withdraw are compare-exchanges: only the one that succeeds touches the text. The number differs for
/// each message of a place, so withdraw() cannot take another message for its own.
class control_queue {
 public:
  static constexpr int places = 64;  ///< streams and rings at a time

  struct control_message {
    near::handle ring, plan;  ///< plan: writer_plan as bytes
    std::int64_t plan_bytes = 0, frame_bytes = 0;
    std::int32_t members = 0, depth = 0;
  };
  /// A message's place, and the number of the message there; place -1: none.
  struct place {
    int place = -1;
    std::uint64_t turn = 0;
  };

  control_queue() = default;
  explicit control_queue(std::byte* base) noexcept : base_(base) {}
  static index_t bytes() noexcept;
  explicit operator bool() const noexcept { return base_ != nullptr; }

  /// @throws resource_error  all places are taken
  place post(const control_message& l) const;
  bool withdraw(const place& t) const noexcept;  ///< false: the writer has it, or there is none
  std::optional<control_message> take() const;   ///< the writer's: a message that nobody has read yet
  bool has_messages() const noexcept;
  void leave() const noexcept;  ///< a computing rank has no further messages
  int left() const noexcept;
  doorbell& writer_doorbell() const noexcept;

 private:
  // The two lowest bits of a place's word; above them a number that grows with each message, so that no message is
  // taken for another.
  static constexpr std::uint64_t free = 0, busy = 1, posted = 2, state_bits = 3, next_turn = 4;
  struct slot {
    std::atomic<std::uint64_t> word;
    control_message text;
  };
  struct contents {
    doorbell for_writer;
    std::atomic<int> left;
    slot slots[places];
  };
  contents& all() const noexcept { return *reinterpret_cast<contents*>(base_); }
  std::byte* base_ = nullptr;
};

}  // namespace nearfar::output

namespace nearfar {

struct output_writers_state : std::enable_shared_from_this<output_writers_state> {
  explicit output_writers_state(const team& members) : all(members) {}
  team all;
  std::optional<team> computing;  // not on writers
  std::optional<team> wires;      // all ranks, messages to writers on other nodes; where there are such
  std::vector<int> far_writers;   // their ranks in `wires`
  int channels = 0;               // that this rank has announced
  int writers = 0, writer_process = 0;
  near::shared_segment queue_memory;  // the writer's of this node, if it has one
  output::control_queue queue;
  std::vector<int> processes;  // of the computing ranks of the node; the writer's
  void serve_near();
  void serve_far();
  ~output_writers_state();
};

}  // namespace nearfar
