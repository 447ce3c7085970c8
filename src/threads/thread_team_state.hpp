// SPDX-License-Identifier: BSD-3-Clause
// The state of a thread team on a rank: shared by its threads, and per thread.
#pragma once

#include <array>
#include <atomic>
#include <near/arena.hpp>
#include <nearfar/thread_team.hpp>
#include <reduction/reducer.hpp>
#include <vector>

#include "rank_level.hpp"
#include "thread_group.hpp"
#include "two_method_tuner.hpp"

namespace nearfar {

/// A type, and what an operation does with it.
struct thread_elements {
  reduction::reducer op{};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op handle = MPI_OP_NULL;
  index_t bytes = 0;
  bool is_dense = false;  ///< without gaps: bytes may be copied
  bool is_serial =
      false;  ///< thread 0 combines alone: the operation is the program's and MPI is not for several threads
  bool is_lasting = false;  ///< handles are MPI's own, so that they mean the same for ever
};

/// Each array of one thread as the others see it in a call.
struct thread_arrays {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::byte* target = nullptr;  ///< of thread 0: where the rank's result is made
  int method = 0;               ///< of thread 0: how all go about it
};

struct thread_team_state : std::enable_shared_from_this<thread_team_state> {
  thread_team_state(const team& all, int threads, thread_team_options options);

  team members;
  std::string name;
  threads::thread_numbering numbering;
  int threads;
  bool is_mpi_for_all = false;  ///< MPI_THREAD_MULTIPLE
  bool is_rank_alone = true;    ///< the team has one rank
  bool is_short_of_cores = false;
  threads::thread_group group;
  threads::rank_level ranks;

  /// Of one thread alone.
  struct alignas(128) slot {
    std::array<thread_elements, 8> known{};
    std::vector<thread_arrays> arrays;
    std::vector<const std::byte*> inputs;
    std::vector<std::byte*> outputs;
    alignas(64) std::array<std::byte, threads::thread_group::post_bytes> small_result{};
    std::atomic<bool> is_taken{false};
  };
  std::unique_ptr<slot[]> slots;

  // Written by thread 0 in a call, read by the others after it has arrived.
  thread_elements resolved{};
  std::string complaint;
  std::vector<thread_arrays> table;

  threads::tuners_by_size tuners_for_results, tuners_for_views;  ///< thread 0's

  /// Room for `bytes` that near ranks can read where that is possible; only thread 0 may ask. The memory given before
  /// stays until the next but one call that asks for more: other threads may still look at it.
  std::byte* spare(index_t bytes);

 private:
  near::block spare_, former_spare_;
  index_t spare_bytes_ = 0;
};

namespace threads {

enum class thread_kind : std::uint32_t { barrier, allreduce, view, reduce, reduce_scatter_block, bcast, allgather };

/// One call as all its threads make it.
struct thread_call {
  thread_kind what = thread_kind::barrier;
  index_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root_rank = 0, root_thread = 0;
  std::uint32_t mark() const noexcept;
};

/// Tells the other threads of the rank that this call has failed.
void give_up(thread_team_state& s, int me, status kind, const char* words);

/// Runs `step` as the next call of thread `me`; an error is told to the other threads of the rank.
template <class Step>
void run_call(thread_team_state& s, int me, const thread_call& c, Step step) {
  s.group.begin(me, c.mark());
  try {
    s.group.require_all_here();
    step();
  } catch (const error& e) {
    give_up(s, me, e.code(), e.what());
    throw;
  } catch (const std::exception& e) {
    give_up(s, me, status::resource, e.what());
    throw;
  }
}

/// What the call's type and operation are. All threads of the rank call it in the same call. @throws usage_error on all
/// of them
const thread_elements& elements_of(thread_team_state& s, int me, const thread_call& c);

/// Tells everybody my arrays; afterwards slots[me].arrays has all of them.
void exchange_arrays(thread_team_state& s, int me, const thread_arrays& mine);

inline const std::byte* as_bytes(const void* p) noexcept { return static_cast<const std::byte*>(p); }
inline std::byte* as_bytes(void* p) noexcept { return static_cast<std::byte*>(p); }

void require_root(const thread_team_state& s, const thread_call& c);  ///< @throws usage_error

void copy_elements(const thread_elements& e, std::byte* to, const std::byte* from, index_t count);

void barrier(thread_team_state& s, int me);
void allreduce(thread_team_state& s, int me, const void* in, void* out, const thread_call& c);
const void* allreduce_view(thread_team_state& s, int me, const void* in, const thread_call& c);
void reduce(thread_team_state& s, int me, const void* in, void* out, const thread_call& c);
void reduce_scatter_block(thread_team_state& s, int me, const void* in, void* out, const thread_call& c);
void bcast(thread_team_state& s, int me, void* data, const thread_call& c);
void allgather(thread_team_state& s, int me, const void* in, void* out, const thread_call& c);

}  // namespace threads
}  // namespace nearfar
