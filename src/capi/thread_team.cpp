// SPDX-License-Identifier: BSD-3-Clause
// The C interface to thread teams.
#include <nearfar/thread_team.h>

#include <memory>
#include <nearfar/thread_team.hpp>

#include "from_integer.hpp"
#include "handles.hpp"

struct nearfar_thread_team {
  nearfar::thread_team value;
  std::vector<std::unique_ptr<nearfar::thread_rank>> threads{};
  std::string text{};
};

using namespace nearfar::capi;

namespace {

const nearfar::thread_team& members_of(const nearfar_thread_team* all) {
  require(all != nullptr, "the thread team is NULL: it was not created, or is freed already");
  return all->value;
}

nearfar::thread_rank& thread_of(nearfar_thread_team* all, int thread) {
  const int threads = members_of(all).threads();
  if (thread < 0 || thread >= threads)
    throw nearfar::usage_error(
        nearfar::text("there is no thread ", thread, "; the team was made for ", threads, " per rank"));
  return *all->threads[static_cast<std::size_t>(thread)];
}

const void* in_or_in_place(const void* in) { return in != nullptr ? in : MPI_IN_PLACE; }

}  // namespace

extern "C" {

nearfar_status nearfar_thread_team_create(nearfar_team* team, int threads, nearfar_thread_team** all) {
  return making(all, [&] {
    nearfar::agree(value_of(team), [&] { require_result(all, "all"); });
    auto made =
        std::make_unique<nearfar_thread_team>(nearfar_thread_team{nearfar::thread_team(value_of(team), threads)});
    for (int t = 0; t < threads; ++t) made->threads.push_back(std::make_unique<nearfar::thread_rank>(made->value, t));
    *all = made.release();
  });
}

nearfar_status nearfar_thread_team_free(nearfar_thread_team** all) {
  if (all == nullptr) return NEARFAR_OK;
  delete *all;
  *all = nullptr;
  return NEARFAR_OK;
}

int nearfar_thread_team_threads(const nearfar_thread_team* all) {
  return guarded_value(-1, [&] { return members_of(all).threads(); });
}

int64_t nearfar_thread_team_size(const nearfar_thread_team* all) {
  return guarded_value(int64_t{-1}, [&] { return members_of(all).size(); });
}

int64_t nearfar_thread_team_first_of(const nearfar_thread_team* all, int rank) {
  return guarded_value(int64_t{-1}, [&] {
    require(rank >= 0 && rank < members_of(all).team().size(), nearfar::text("the team has no rank ", rank));
    return members_of(all).first_of(rank);
  });
}

const char* nearfar_thread_team_describe(nearfar_thread_team* all) {
  return guarded_value<const char*>(nullptr, [&] {
    all->text = for_both(members_of(all).describe());
    return all->text.c_str();
  });
}

nearfar_status nearfar_thread_barrier(nearfar_thread_team* all, int thread) {
  return guarded([&] { thread_of(all, thread).barrier(); });
}

nearfar_status nearfar_thread_allreduce(nearfar_thread_team* all, int thread, const void* in, void* out, int64_t count,
                                        MPI_Datatype type, MPI_Op op) {
  return guarded([&] { thread_of(all, thread).allreduce(in, out, count, type, op); });
}

nearfar_status nearfar_thread_allreduce_view(nearfar_thread_team* all, int thread, const void* in, int64_t count,
                                             MPI_Datatype type, MPI_Op op, const void** result) {
  if (result) *result = nullptr;
  return guarded([&] {
    require_result(result, "result");
    *result = thread_of(all, thread).allreduce_view(in, count, type, op);
  });
}

nearfar_status nearfar_thread_reduce(nearfar_thread_team* all, int thread, const void* in, void* out, int64_t count,
                                     MPI_Datatype type, MPI_Op op, int root_rank, int root_thread) {
  return guarded([&] { thread_of(all, thread).reduce(in, out, count, type, op, root_rank, root_thread); });
}

nearfar_status nearfar_thread_reduce_scatter_block(nearfar_thread_team* all, int thread, const void* in, void* out,
                                                   int64_t count, MPI_Datatype type, MPI_Op op) {
  return guarded([&] { thread_of(all, thread).reduce_scatter_block(in, out, count, type, op); });
}

nearfar_status nearfar_thread_bcast(nearfar_thread_team* all, int thread, void* data, int64_t count, MPI_Datatype type,
                                    int root_rank, int root_thread) {
  return guarded([&] { thread_of(all, thread).bcast(data, count, type, root_rank, root_thread); });
}

nearfar_status nearfar_thread_allgather(nearfar_thread_team* all, int thread, const void* in, void* out, int64_t count,
                                        MPI_Datatype type) {
  return guarded([&] { thread_of(all, thread).allgather(in, out, count, type); });
}

nearfar_status nearfar_thread_abandon(nearfar_thread_team* all, int thread) {
  return guarded([&] { thread_of(all, thread).abandon(); });
}

nearfar_status nearfar_thread_allreduce_fint(nearfar_thread_team* all, int thread, const void* in, void* out,
                                             int64_t count, MPI_Fint type, MPI_Fint op) {
  return nearfar_thread_allreduce(all, thread, in_or_in_place(in), out, count, type_from(type), op_from(op));
}

nearfar_status nearfar_thread_reduce_fint(nearfar_thread_team* all, int thread, const void* in, void* out,
                                          int64_t count, MPI_Fint type, MPI_Fint op, int root_rank, int root_thread) {
  return nearfar_thread_reduce(all, thread, in_or_in_place(in), out, count, type_from(type), op_from(op), root_rank,
                               root_thread);
}

nearfar_status nearfar_thread_reduce_scatter_block_fint(nearfar_thread_team* all, int thread, const void* in, void* out,
                                                        int64_t count, MPI_Fint type, MPI_Fint op) {
  return nearfar_thread_reduce_scatter_block(all, thread, in, out, count, type_from(type), op_from(op));
}

nearfar_status nearfar_thread_bcast_fint(nearfar_thread_team* all, int thread, void* data, int64_t count, MPI_Fint type,
                                         int root_rank, int root_thread) {
  return nearfar_thread_bcast(all, thread, data, count, type_from(type), root_rank, root_thread);
}

nearfar_status nearfar_thread_allgather_fint(nearfar_thread_team* all, int thread, const void* in, void* out,
                                             int64_t count, MPI_Fint type) {
  return nearfar_thread_allgather(all, thread, in_or_in_place(in), out, count, type_from(type));
}

}  // extern "C"
