// SPDX-License-Identifier: BSD-3-Clause
// A writer rank's end of a channel: a ring filled by messages, and its writer.
#pragma once

#include <near/arena.hpp>
#include <nearfar/mpi.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "message_protocol.hpp"

namespace nearfar::output {

class receiver {
 public:
  /// The bytes are what sender announced. What cannot be is told to the sender. Local.
  receiver(MPI_Comm comm, int source, const std::vector<std::byte>& announced, near::arena& memory);
  ~receiver();
  receiver(const receiver&) = delete;
  receiver& operator=(const receiver&) = delete;

  /// Does what can be done now. True: something was done, or is under way. Main thread.
  bool move_on();
  bool has_ended() const noexcept { return told_.has_ended != 0 && replying_ == MPI_REQUEST_NULL; }

 private:
  void listen();
  void take_dispatches();
  void post_pieces();
  void take_pieces();
  void run() noexcept;
  void end_writing();
  bool reply();
  receipt state() const;

  MPI_Comm comm_;
  int source_;
  channel_tags tags_{0};
  writer_plan plan_;
  near::block memory_;
  ring ring_;  // not set: refused
  std::optional<step_writer> step_writer_;
  std::thread thread_;
  std::vector<std::byte> heard_;  // a dispatch, and the frame's table
  dispatch words_;
  MPI_Request listening_ = MPI_REQUEST_NULL, replying_ = MPI_REQUEST_NULL;
  std::vector<piece> pieces_;
  std::vector<MPI_Request> arriving_;
  receipt told_;
  std::string refusal_;
  bool is_arriving_ = false, is_over_ = false, is_ended_ = false, has_replied_ = false;
  std::atomic<bool> has_written_ = false;
  double replied_s_ = 0;
};

}  // namespace nearfar::output
