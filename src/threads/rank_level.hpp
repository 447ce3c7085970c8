// SPDX-License-Identifier: BSD-3-Clause
// The part of a thread team's calls between ranks, after the threads of each rank have combined their arrays.
#pragma once

#include <base/numbers.hpp>
#include <collective/engine.hpp>
#include <cstddef>
#include <memory>
#include <nearfar/thread_team.hpp>

#include "numbering.hpp"

namespace nearfar::threads {

using collective::call;
using collective::kind;

/// Elements in the memory of a rank.
struct rank_data {
  std::byte* at = nullptr;
  index_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  index_t element_bytes = 0;
};

/// Called by thread 0 of each rank, in one order on all ranks. Collective over the team. @throws transport_error
class rank_level {
 public:
  /// `own_allreduce` may have no function. `is_short_of_cores` is the same on all ranks. Collective over the team.
  rank_level(const team& members, rank_reduction own_allreduce, bool is_short_of_cores);

  /// Data in near memory need no copy on their way to near ranks.
  bool likes_near_memory() const noexcept { return engine_ != nullptr && members_.near_size() > 1; }

  void barrier();
  void allreduce(const rank_data& d, MPI_Op op);
  void reduce(const rank_data& d, MPI_Op op, int root);
  void bcast(const rank_data& d, int root);

  /// `d` is everything; the part of rank r are `each` elements for each of its threads. Afterwards this rank's part is
  /// right.
  void reduce_scatter(const rank_data& d, MPI_Op op, const thread_numbering& threads, index_t each);
  /// `d` is everything, of which this rank has filled its part.
  void allgather(const rank_data& d, const thread_numbering& threads, index_t each);

 private:
  template <class Native>
  void run(const call& c, const char* name, Native native);

  team members_;
  std::unique_ptr<collective::engine> engine_;  ///< null where MPI does all
  rank_reduction own_allreduce_;
};

}  // namespace nearfar::threads
