// SPDX-License-Identifier: BSD-3-Clause
// Operations in flight in this process that near ranks may wait for: every wait of the process progresses all of them.
#pragma once

#include <atomic>
#include <exception>

namespace nearfar {

/// An operation between its start and its finish whose peers cannot finish before this rank has done its part: read
/// their memory, sent what they packed for it. Without this, two ranks that finish two operations in opposite orders
/// would wait for each other for ever; MPI has its progress rule for that.
class in_flight {
 public:
  in_flight() = default;
  in_flight(const in_flight&) = delete;
  in_flight& operator=(const in_flight&) = delete;
  virtual ~in_flight() = default;

  /// Does what can be done now, without waiting. May be called by any thread of the process that waits, one at a time;
  /// where is_beside_mpi() is true it must not call MPI. What it throws comes out where the operation itself is waited
  /// for, at throw_failure(), and not from the wait that moved it on; until then it is not moved on again.
  virtual void move_on() = 0;

  /// This thread moves operations on for another one that is inside MPI.
  static bool is_beside_mpi() noexcept;

 protected:
  /// From now on waits move it on; local, any thread.
  void begin();
  /// Throws, once, what move_on() threw in somebody else's wait since begin(). Call it where the operation is polled or
  /// finished: it costs a load. Local.
  void throw_failure();
  /// No more, and no other thread is in move_on(). Call it before what move_on() uses goes. Local.
  void end() noexcept;

 private:
  friend void move_on_in_flight();
  void move_on_for_others() noexcept;

  std::atomic<bool> has_failed_ = false;
  std::exception_ptr failure_;  ///< written before has_failed_ is set, read after
};

/// Moves on everything that is in flight in this process, unless another thread is at it. Called by all waits that
/// poll. Throws nothing that the operations throw.
void move_on_in_flight();

/// A wait inside MPI, which polls nothing of ours: while it lives, a thread of the process moves on what is in flight.
/// Where nothing is, it costs a load. Local, any thread; waits may be nested.
class wait_inside_mpi {
 public:
  wait_inside_mpi() noexcept;
  ~wait_inside_mpi();
  wait_inside_mpi(const wait_inside_mpi&) = delete;
  wait_inside_mpi& operator=(const wait_inside_mpi&) = delete;

 private:
  bool is_told_ = false;
};

}  // namespace nearfar
