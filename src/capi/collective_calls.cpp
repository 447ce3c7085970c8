// SPDX-License-Identifier: BSD-3-Clause
// The C interface to collective calls: each named function makes the call that the C++ interface makes.
#include "collective.hpp"

using namespace nearfar::capi;

extern "C" {

nearfar_status nearfar_barrier(nearfar_team* team) {
  return once(team, [&] { return nearfar::calls::barrier(); });
}

nearfar_status nearfar_bcast(nearfar_team* team, void* data, int64_t count, MPI_Datatype type, int root) {
  return once(team, [&] { return nearfar::calls::bcast(data, count, type, root); });
}

nearfar_status nearfar_reduce(nearfar_team* team, const void* in, void* out, int64_t count, MPI_Datatype type,
                              MPI_Op op, int root) {
  return once(team, [&] { return nearfar::calls::reduce(in, out, count, type, op, root); });
}

nearfar_status nearfar_allreduce(nearfar_team* team, const void* in, void* out, int64_t count, MPI_Datatype type,
                                 MPI_Op op) {
  return once(team, [&] { return nearfar::calls::allreduce(in, out, count, type, op); });
}

nearfar_status nearfar_scan(nearfar_team* team, const void* in, void* out, int64_t count, MPI_Datatype type,
                            MPI_Op op) {
  return once(team, [&] { return nearfar::calls::scan(in, out, count, type, op); });
}

nearfar_status nearfar_exscan(nearfar_team* team, const void* in, void* out, int64_t count, MPI_Datatype type,
                              MPI_Op op) {
  return once(team, [&] { return nearfar::calls::exscan(in, out, count, type, op); });
}

nearfar_status nearfar_reduce_scatter(nearfar_team* team, const void* in, void* out, const int64_t* counts,
                                      MPI_Datatype type, MPI_Op op) {
  return once(team, [&] { return nearfar::calls::reduce_scatter(in, out, list(team, counts), type, op); });
}

nearfar_status nearfar_reduce_scatter_block(nearfar_team* team, const void* in, void* out, int64_t count,
                                            MPI_Datatype type, MPI_Op op) {
  return once(team, [&] { return nearfar::calls::reduce_scatter_block(in, out, count, type, op); });
}

nearfar_status nearfar_gather(nearfar_team* team, const void* in, int64_t send_count, MPI_Datatype send_type, void* out,
                              int64_t receive_count, MPI_Datatype receive_type, int root) {
  return once(
      team, [&] { return nearfar::calls::gather(in, send_count, send_type, out, receive_count, receive_type, root); });
}

nearfar_status nearfar_gatherv(nearfar_team* team, const void* in, int64_t send_count, MPI_Datatype send_type,
                               void* out, const int64_t* counts, const int64_t* displs, MPI_Datatype receive_type,
                               int root) {
  return once(team, [&] {
    return nearfar::calls::gatherv(in, send_count, send_type, out, list(team, counts), list(team, displs), receive_type,
                                   root);
  });
}

nearfar_status nearfar_scatter(nearfar_team* team, const void* in, int64_t send_count, MPI_Datatype send_type,
                               void* out, int64_t receive_count, MPI_Datatype receive_type, int root) {
  return once(
      team, [&] { return nearfar::calls::scatter(in, send_count, send_type, out, receive_count, receive_type, root); });
}

nearfar_status nearfar_scatterv(nearfar_team* team, const void* in, const int64_t* counts, const int64_t* displs,
                                MPI_Datatype send_type, void* out, int64_t receive_count, MPI_Datatype receive_type,
                                int root) {
  return once(team, [&] {
    return nearfar::calls::scatterv(in, list(team, counts), list(team, displs), send_type, out, receive_count,
                                    receive_type, root);
  });
}

nearfar_status nearfar_allgather(nearfar_team* team, const void* in, int64_t send_count, MPI_Datatype send_type,
                                 void* out, int64_t receive_count, MPI_Datatype receive_type) {
  return once(team,
              [&] { return nearfar::calls::allgather(in, send_count, send_type, out, receive_count, receive_type); });
}

nearfar_status nearfar_allgatherv(nearfar_team* team, const void* in, int64_t send_count, MPI_Datatype send_type,
                                  void* out, const int64_t* counts, const int64_t* displs, MPI_Datatype receive_type) {
  return once(team, [&] {
    return nearfar::calls::allgatherv(in, send_count, send_type, out, list(team, counts), list(team, displs),
                                      receive_type);
  });
}

nearfar_status nearfar_alltoall(nearfar_team* team, const void* in, int64_t send_count, MPI_Datatype send_type,
                                void* out, int64_t receive_count, MPI_Datatype receive_type) {
  return once(team,
              [&] { return nearfar::calls::alltoall(in, send_count, send_type, out, receive_count, receive_type); });
}

nearfar_status nearfar_alltoallv(nearfar_team* team, const void* in, const int64_t* send_counts,
                                 const int64_t* send_displs, MPI_Datatype send_type, void* out,
                                 const int64_t* receive_counts, const int64_t* receive_displs,
                                 MPI_Datatype receive_type) {
  return once(team, [&] {
    return nearfar::calls::alltoallv(in, list(team, send_counts), list(team, send_displs), send_type, out,
                                     list(team, receive_counts), list(team, receive_displs), receive_type);
  });
}

nearfar_status nearfar_alltoallw(nearfar_team* team, const void* in, const int64_t* send_counts,
                                 const int64_t* send_displs, const MPI_Datatype* send_types, void* out,
                                 const int64_t* receive_counts, const int64_t* receive_displs,
                                 const MPI_Datatype* receive_types) {
  return once(team, [&] {
    return nearfar::calls::alltoallw(in, list(team, send_counts), list(team, send_displs), send_types, out,
                                     list(team, receive_counts), list(team, receive_displs), receive_types);
  });
}

}  // extern "C"
