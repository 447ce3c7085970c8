// SPDX-License-Identifier: BSD-3-Clause
// Collectives called by all threads of all ranks, each thread with arrays of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <nearfar/team.hpp>
#include <string>

namespace nearfar {

struct thread_team_state;  // internal

/// A program's own way of reducing an array over ranks: `run` reduces `count` elements at `data` in place, with the
/// same bits on all ranks. It is called by thread 0 of every rank and may throw.
struct rank_reduction {
  /// Reduces in place; MPI types and operations as the caller of allreduce() gave them.
  void (*run)(void* context, void* data, std::int64_t count, MPI_Datatype type, MPI_Op op) = nullptr;
  void* context = nullptr;  ///< handed to `run` as it is; the caller's
};

/// How a team of threads is made; the same on all ranks.
struct thread_team_options {
  std::string name = "thread team";  ///< in messages
  rank_reduction rank_allreduce{};   ///< no function: the library's collectives
};

/// The threads of all ranks of a team. Any kind of threads: OpenMP's, std::thread, POSIX. Copies share one state.
///
/// Threads count as MPI_COMM_WORLD would count them if each were a rank: first the threads of rank 0, then those of
/// rank 1.
class NEARFAR_API thread_team {
 public:
  /// Made by one thread of each rank, before a parallel region or at its start (then followed by a barrier of the
  /// region). `threads` may differ between ranks. Collective over `members`.
  /// @throws usage_error on every rank, if a rank has no thread
  /// @cost two small collectives; some 3 kB of memory per thread
  thread_team(const nearfar::team& members, int threads, thread_team_options options = {});

  int threads() const noexcept;                    ///< of this rank
  std::int64_t size() const noexcept;              ///< threads of all ranks
  int threads_of(int rank) const noexcept;         ///< of any rank of the team
  std::int64_t first_of(int rank) const noexcept;  ///< number of that rank's thread 0 among all
  const nearfar::team& team() const noexcept;      ///< the ranks that the threads belong to
  std::string describe() const;  ///< a line per fact: threads, waiting, how reductions of which size go; local

 private:
  friend struct internals;
  std::shared_ptr<thread_team_state> state_;
};

/// What one thread holds while it takes part. Made by that thread; it leaves the team when it goes out of scope.
///
/// All threads of all ranks call the same functions in the same order, with the same count, type, operation and root.
/// Thread 0 of each rank calls MPI for all: it must be the main thread if MPI was initialised with MPI_THREAD_FUNNELED.
///
/// Sums are made strictly in the order of the threads of a rank, then over ranks. Every thread of every rank gets the
/// same bits.
///
/// Memory: `in` may be MPI_IN_PLACE or equal `out`; else a thread's arrays must not overlap, nor those of two threads.
/// `out` may be null where the result is not wanted. Arrays are read and written by other threads of the rank until the
/// call returns.
///
/// @throws usage_error on every thread of the rank that makes another call than its fellows, and on these
/// @throws transport_error if MPI fails, a thread has left by an exception, or nothing moves within NEARFAR_WATCHDOG
///         seconds
class NEARFAR_API thread_rank {
 public:
  /// @throws usage_error  if `thread` is not 0 … threads()-1, or another thread holds that number
  thread_rank(const thread_team& all, int thread);
  /// Leaving because of an exception is abandon().
  ~thread_rank();
  thread_rank(const thread_rank&) = delete;
  thread_rank& operator=(const thread_rank&) = delete;

  int thread() const noexcept { return thread_; }  ///< in this rank
  std::int64_t number() const noexcept;            ///< among all threads of all ranks

  /// Takes part no more: ends the waits of all other threads of this rank in an error. For a thread that cannot go on.
  void abandon() noexcept;

  void barrier();  ///< Returns when all threads of all ranks have called it

  /// out = the `op` of the `in` of all threads.
  /// @cost up to 1 kB the arrays travel in the cache lines that say that they are there; above, each thread sums its
  ///        share of all arrays of the rank for all, or all arrays for itself; the ranks exchange `count` elements once
  /// @source ours; the question is Smith and Bull's, who let threads add into one array and found that worst for large
  ///         data
  void allreduce(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op);

  /// The same without copies of the result: what is returned is shared by the threads of the rank, may be read only,
  /// and is valid until this thread's next call.
  const void* allreduce_view(const void* in, std::int64_t count, MPI_Datatype type, MPI_Op op);

  /// The same with the result on one thread of one rank; `out` counts only there.
  void reduce(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op, int root_rank,
              int root_thread);

  /// Each thread gets `count` elements of the sum: those that begin at number() * count. `in` has size() * count
  /// elements and must not be MPI_IN_PLACE.
  void reduce_scatter_block(const void* in, void* out, std::int64_t count, MPI_Datatype type, MPI_Op op);

  /// Copies `data` of one thread of one rank to `data` of all others.
  void bcast(void* data, std::int64_t count, MPI_Datatype type, int root_rank, int root_thread);

  /// out = the `in` of all threads one after the other, `count` elements each. In place: `in` is MPI_IN_PLACE or lies
  /// in `out` where it goes to.
  void allgather(const void* in, void* out, std::int64_t count, MPI_Datatype type);

 private:
  std::shared_ptr<thread_team_state> state_;
  int thread_;
  int exceptions_;
};

}  // namespace nearfar
