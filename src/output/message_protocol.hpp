// SPDX-License-Identifier: BSD-3-Clause
// How steps are sent to a writer on another node. A channel is a pair of a ring and its writer:
//
//   first rank of the ring (sender)                     writer rank (receiver)
//   announcement: channel, depth, plan             ──>  makes a ring of as many frames
//   per step: dispatch (step, time, sum)           ──>
//             data in pieces, out of the frame     ──>  into a frame of its ring
//                                                  <──  receipt: written, durable, has_failed …
//   dispatch with an ending                        ──>
//
// A step is sent as soon as the writer has a free frame. All messages are in one communicator of the writers.
#pragma once

#include <cstdint>
#include <nearfar/mpi.hpp>
#include <vector>

#include "step_writer.hpp"

namespace nearfar::output {

inline constexpr int announce_tag = 0, leave_tag = 1;

/// A channel's number → its tags.
struct channel_tags {
  explicit channel_tags(int channel) noexcept
      : dispatch(8 + 4 * (channel % channels)), data(dispatch + 1), receipt(dispatch + 2) {}
  static constexpr int channels = 4096;  ///< within the tags that every MPI has
  int dispatch, data, receipt;
};

/// In front of the plan's bytes.
struct announcement {
  std::int32_t channel = 0, depth = 1;
  std::int64_t frame_bytes = 0;
};

/// A step follows, or the channel ends. Behind it comes the frame's table, where steps have one.
struct dispatch {
  std::uint64_t step = 0;
  double time = 0;
  std::uint32_t crc = 0;    ///< CRC-32C of the pieces in order, if the plan wants sums
  ending end = ending::no;  ///< anything else: nothing follows; `step` is the number of steps
};

/// How far the writer has come.
struct receipt {
  std::uint64_t written = 0, durable = 0, progress = 0;
  double busy_s = 0;
  std::int32_t has_failed = 0, has_ended = 0, is_direct = 0, unused = 0;
  char message[sizeof ring_head::message] = {};
  bool operator==(const receipt& other) const noexcept {
    return written == other.written && durable == other.durable && progress == other.progress &&
           has_failed == other.has_failed && has_ended == other.has_ended;
  }
};

struct piece {
  std::byte* at = nullptr;
  int bytes = 0;
};

/// The data of a step in a ring's frame, cut for messages. Both ends cut alike.
std::vector<piece> pieces_of(const writer_plan& plan, const ring& from, std::uint64_t step);

std::uint32_t crc_of(const std::vector<piece>& pieces) noexcept;

/// True once the operation is complete; also for MPI_REQUEST_NULL. Makes progress.
bool is_finished(MPI_Request& request);

/// Between two polls of a call that waits while data is sent: MPI progresses only in calls.
inline constexpr double nap_while_sending_s = 1e-4;

}  // namespace nearfar::output
