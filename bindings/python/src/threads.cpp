// SPDX-License-Identifier: BSD-3-Clause
// Thread teams.
#include <nearfar/thread_team.h>

#include "bind.hpp"

namespace nearfar_python {
namespace {

nearfar_thread_team* team(address of) { return object<nearfar_thread_team>(of); }
const void* in_place_if_null(address in) { return in == 0 ? MPI_IN_PLACE : object<void>(in); }

void allreduce(address all, int thread, address in, address out, std::int64_t count, const std::string& kind,
               const std::string& op) {
  call(nearfar_thread_allreduce, team(all), thread, in_place_if_null(in), object<void>(out), count, type_of(kind),
       op_of(op));
}

void reduce(address all, int thread, address in, address out, std::int64_t count, const std::string& kind,
            const std::string& op, int root_rank, int root_thread) {
  call(nearfar_thread_reduce, team(all), thread, in_place_if_null(in), object<void>(out), count, type_of(kind),
       op_of(op), root_rank, root_thread);
}

void reduce_scatter_block(address all, int thread, address in, address out, std::int64_t count, const std::string& kind,
                          const std::string& op) {
  call(nearfar_thread_reduce_scatter_block, team(all), thread, static_cast<const void*>(object<void>(in)),
       object<void>(out), count, type_of(kind), op_of(op));
}

void bcast(address all, int thread, address data, std::int64_t count, const std::string& kind, int root_rank,
           int root_thread) {
  call(nearfar_thread_bcast, team(all), thread, object<void>(data), count, type_of(kind), root_rank, root_thread);
}

void allgather(address all, int thread, address in, address out, std::int64_t count, const std::string& kind) {
  call(nearfar_thread_allgather, team(all), thread, in_place_if_null(in), object<void>(out), count, type_of(kind));
}

}  // namespace

void define_threads(nb::module_& m) {
  define_result(m, "threads_create", nearfar_thread_team_create);
  define_free(m, "threads_free", nearfar_thread_team_free);
  define(m, "threads_threads", nearfar_thread_team_threads);
  define(m, "threads_size", nearfar_thread_team_size);
  define(m, "threads_first_of", nearfar_thread_team_first_of);
  define(m, "threads_describe", nearfar_thread_team_describe);
  define(m, "threads_barrier", nearfar_thread_barrier);
  define(m, "threads_abandon", nearfar_thread_abandon);
  m.def("threads_allreduce", allreduce);
  m.def("threads_reduce", reduce);
  m.def("threads_reduce_scatter_block", reduce_scatter_block);
  m.def("threads_bcast", bcast);
  m.def("threads_allgather", allgather);
}

}  // namespace nearfar_python
