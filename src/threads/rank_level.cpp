// SPDX-License-Identifier: BSD-3-Clause
// The rank level by the engine for collectives, or by MPI's own calls, in pieces if a count exceeds an int.
#include "rank_level.hpp"

#include <base/log.hpp>
#include <limits>
#include <topology/team_state.hpp>

namespace nearfar::threads {
namespace {

constexpr index_t most_elements = index_t{1} << 30;

collective::side side_of(const rank_data& d) { return {.data = d.at, .count = d.count, .type = d.type}; }

/// Runs `step(data, count as int)` on pieces of at most most_elements elements until one fails; returns MPI's code.
template <class Step>
int in_pieces(const rank_data& d, Step step) {
  int code = MPI_SUCCESS;
  for (index_t done = 0; done < d.count && code == MPI_SUCCESS; done += most_elements)
    code = step(d.at + done * d.element_bytes, static_cast<int>(std::min(d.count - done, most_elements)));
  return code;
}

struct part_lists {
  std::vector<int> counts, displs;
};

part_lists lists_of(const thread_numbering& threads, index_t each, int ranks) {
  part_lists lists;
  for (int r = 0; r < ranks; ++r) {
    lists.counts.push_back(static_cast<int>(threads.of(r) * each));
    lists.displs.push_back(static_cast<int>(threads.first(r) * each));
  }
  return lists;
}

bool fits_an_int(index_t count) { return count <= std::numeric_limits<int>::max(); }

}  // namespace

rank_level::rank_level(const team& members, rank_reduction own_allreduce, bool is_short_of_cores)
    : members_(members), own_allreduce_(own_allreduce) {
  if (members.size() == 1) return;
  try {
    engine_ = std::make_unique<collective::engine>(
        members, collective::engine_options{.name = "thread team, over ranks", .is_short_of_cores = is_short_of_cores});
    engine_->expect_near_buffers();
  } catch (const resource_error& e) {
    log::info("thread team: ranks use plain MPI: ", e.what());
  }
}

template <class Native>
void rank_level::run(const call& c, const char* name, Native native) {
  check_mpi(engine_ ? engine_->run(c, native) : native(), name);
}

void rank_level::barrier() {
  run({.what = kind::barrier}, "MPI_Barrier", [&] { return MPI_Barrier(members_.comm()); });
}

void rank_level::allreduce(const rank_data& d, MPI_Op op) {
  if (own_allreduce_.run != nullptr) return own_allreduce_.run(own_allreduce_.context, d.at, d.count, d.type, op);
  const call c{.what = kind::allreduce, .send = {.data = MPI_IN_PLACE}, .receive = side_of(d), .op = op};
  run(c, "MPI_Allreduce", [&] {
    return in_pieces(d, [&](std::byte* at, int count) {
      return MPI_Allreduce(MPI_IN_PLACE, at, count, d.type, op, members_.comm());
    });
  });
}

void rank_level::reduce(const rank_data& d, MPI_Op op, int root) {
  const bool is_root = members_.rank() == root;
  call c{.what = kind::reduce, .receive = side_of(d), .op = op, .root = root};
  c.send.data = is_root ? MPI_IN_PLACE : d.at;
  run(c, "MPI_Reduce", [&] {
    return in_pieces(d, [&](std::byte* at, int count) {
      if (!is_root) return MPI_Reduce(at, nullptr, count, d.type, op, root, members_.comm());
      // Not in place: MPICH 4.0 crashes there if the root is not rank 0.
      const std::vector<std::byte> own(at, at + count * d.element_bytes);
      return MPI_Reduce(own.data(), at, count, d.type, op, root, members_.comm());
    });
  });
}

void rank_level::bcast(const rank_data& d, int root) {
  run({.what = kind::bcast, .receive = side_of(d), .root = root}, "MPI_Bcast", [&] {
    return in_pieces(d, [&](std::byte* at, int count) { return MPI_Bcast(at, count, d.type, root, members_.comm()); });
  });
}

void rank_level::reduce_scatter(const rank_data& d, MPI_Op op, const thread_numbering& threads, index_t each) {
  if (own_allreduce_.run != nullptr || !fits_an_int(d.count)) return allreduce(d, op);
  const part_lists lists = lists_of(threads, each, members_.size());
  std::byte* own = d.at + lists.displs[as_size(members_.rank())] * d.element_bytes;
  std::vector<std::byte> part(as_size(lists.counts[as_size(members_.rank())] * d.element_bytes));
  check_mpi(MPI_Reduce_scatter(d.at, part.data(), lists.counts.data(), d.type, op, members_.comm()),
            "MPI_Reduce_scatter");
  std::copy(part.begin(), part.end(), own);
}

void rank_level::allgather(const rank_data& d, const thread_numbering& threads, index_t each) {
  if (fits_an_int(d.count)) {
    const part_lists lists = lists_of(threads, each, members_.size());
    watched_mpi("MPI_Allgatherv", [&] {
      return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, d.at, lists.counts.data(), lists.displs.data(), d.type,
                            members_.comm());
    });
    return;
  }
  for (int r = 0; r < members_.size(); ++r)
    bcast({d.at + threads.first(r) * each * d.element_bytes, threads.of(r) * each, d.type, d.element_bytes}, r);
}

}  // namespace nearfar::threads
