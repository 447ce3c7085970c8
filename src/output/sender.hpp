// SPDX-License-Identifier: BSD-3-Clause
// Sends full frames of a ring to a writer rank on another node, by nonblocking messages.
#pragma once

#include <base/in_flight.hpp>
#include <list>
#include <mutex>
#include <nearfar/mpi.hpp>
#include <string>
#include <thread>
#include <vector>

#include "message_protocol.hpp"

namespace nearfar::output {

/// Of a ring's first rank. Moved on by the stream's calls, by all other waits of the library, and where
/// MPI_THREAD_MULTIPLE was granted by a thread of its own. Steps count as written when the writer says so; their frames
/// are free as soon as they have been sent.
class sender final : public in_flight {
 public:
  /// Announces the ring; does not wait for the writer. Local.
  sender(MPI_Comm comm, int writer, int channel, writer_plan plan, const ring& from);
  ~sender() override;
  void move_on() override;
  bool has_thread() const noexcept { return thread_.joinable(); }
  bool has_heard() const noexcept { return has_heard_; }  ///< of the writer, at least once
  /// Tells the writer that nothing follows, and waits until it has let go. False: it had not by then. Local; one call.
  bool end(ending how, double until);

 private:
  struct transfer {
    std::uint64_t step = 0;
    std::vector<std::byte> words;  // a dispatch, and the frame's table
    std::vector<MPI_Request> requests;
  };
  bool is_here_allowed() const noexcept;
  void do_work();
  void run();
  bool is_busy();
  void take_receipts();
  void finish_transfers();
  void begin_transfers();
  void listen();

  MPI_Comm comm_;
  int writer_;
  channel_tags tags_;
  writer_plan plan_;
  ring ring_;
  std::mutex mutex_;
  std::vector<std::byte> announcement_;
  MPI_Request announcing_ = MPI_REQUEST_NULL, listening_ = MPI_REQUEST_NULL, ending_ = MPI_REQUEST_NULL;
  receipt heard_;
  dispatch last_;
  std::list<transfer> transfers_;  // oldest first; places stay
  std::uint64_t next_ = 0;
  bool has_heard_ = false, is_ended_ = false, is_thread_allowed_ = false;
  std::thread::id owner_;
  std::atomic<bool> is_stopping_ = false;
  std::thread thread_;
};

}  // namespace nearfar::output
