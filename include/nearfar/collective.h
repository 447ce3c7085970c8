/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls and plans of the C interface; included by nearfar.h. */
#ifndef NEARFAR_COLLECTIVE_H
#define NEARFAR_COLLECTIVE_H

#include <nearfar/nearfar.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- One-shot calls: arguments of MPI with 64-bit counts. Collective over the team, in one order on all ranks. ----
 */

/** Returns when every rank has called it. */
NEARFAR_API nearfar_status nearfar_barrier(nearfar_team* team);
/** The root's data on every rank. */
NEARFAR_API nearfar_status nearfar_bcast(nearfar_team* team, void* data, int64_t count, MPI_Datatype type, int root);
/** All inputs combined, on the root. MPI_IN_PLACE as in MPI. */
NEARFAR_API nearfar_status nearfar_reduce(nearfar_team* team, const void* in, void* out, int64_t count,
                                          MPI_Datatype type, MPI_Op op, int root);
/** All inputs combined, on every rank. `in` may be MPI_IN_PLACE. */
NEARFAR_API nearfar_status nearfar_allreduce(nearfar_team* team, const void* in, void* out, int64_t count,
                                             MPI_Datatype type, MPI_Op op);
/** The inputs of ranks up to this one combined. */
NEARFAR_API nearfar_status nearfar_scan(nearfar_team* team, const void* in, void* out, int64_t count, MPI_Datatype type,
                                        MPI_Op op);
/** The inputs of ranks below this one combined; not defined on rank 0. */
NEARFAR_API nearfar_status nearfar_exscan(nearfar_team* team, const void* in, void* out, int64_t count,
                                          MPI_Datatype type, MPI_Op op);
/** All inputs combined; rank r gets counts[r] elements. */
NEARFAR_API nearfar_status nearfar_reduce_scatter(nearfar_team* team, const void* in, void* out, const int64_t* counts,
                                                  MPI_Datatype type, MPI_Op op);
/** All inputs combined; every rank gets `count` elements. */
NEARFAR_API nearfar_status nearfar_reduce_scatter_block(nearfar_team* team, const void* in, void* out, int64_t count,
                                                        MPI_Datatype type, MPI_Op op);
/** Everybody's block, on the root. */
NEARFAR_API nearfar_status nearfar_gather(nearfar_team* team, const void* in, int64_t send_count,
                                          MPI_Datatype send_type, void* out, int64_t receive_count,
                                          MPI_Datatype receive_type, int root);
/** The same with blocks of different sizes; counts and displs matter on the root only. */
NEARFAR_API nearfar_status nearfar_gatherv(nearfar_team* team, const void* in, int64_t send_count,
                                           MPI_Datatype send_type, void* out, const int64_t* counts,
                                           const int64_t* displs, MPI_Datatype receive_type, int root);
/** A block of the root's for each rank. */
NEARFAR_API nearfar_status nearfar_scatter(nearfar_team* team, const void* in, int64_t send_count,
                                           MPI_Datatype send_type, void* out, int64_t receive_count,
                                           MPI_Datatype receive_type, int root);
/** The same with blocks of different sizes; counts and displs matter on the root only. */
NEARFAR_API nearfar_status nearfar_scatterv(nearfar_team* team, const void* in, const int64_t* counts,
                                            const int64_t* displs, MPI_Datatype send_type, void* out,
                                            int64_t receive_count, MPI_Datatype receive_type, int root);
/** Everybody's block, on every rank. */
NEARFAR_API nearfar_status nearfar_allgather(nearfar_team* team, const void* in, int64_t send_count,
                                             MPI_Datatype send_type, void* out, int64_t receive_count,
                                             MPI_Datatype receive_type);
/** The same with blocks of different sizes. */
NEARFAR_API nearfar_status nearfar_allgatherv(nearfar_team* team, const void* in, int64_t send_count,
                                              MPI_Datatype send_type, void* out, const int64_t* counts,
                                              const int64_t* displs, MPI_Datatype receive_type);
/** A block from every rank to every rank. */
NEARFAR_API nearfar_status nearfar_alltoall(nearfar_team* team, const void* in, int64_t send_count,
                                            MPI_Datatype send_type, void* out, int64_t receive_count,
                                            MPI_Datatype receive_type);
/** The same with blocks of different sizes. */
NEARFAR_API nearfar_status nearfar_alltoallv(nearfar_team* team, const void* in, const int64_t* send_counts,
                                             const int64_t* send_displs, MPI_Datatype send_type, void* out,
                                             const int64_t* receive_counts, const int64_t* receive_displs,
                                             MPI_Datatype receive_type);
/** The same with a type per rank; displs are in bytes. */
NEARFAR_API nearfar_status nearfar_alltoallw(nearfar_team* team, const void* in, const int64_t* send_counts,
                                             const int64_t* send_displs, const MPI_Datatype* send_types, void* out,
                                             const int64_t* receive_counts, const int64_t* receive_displs,
                                             const MPI_Datatype* receive_types);

/** What the calls made so far came to, a line per kind and size; valid until the next call on the team. Local. */
NEARFAR_API const char* nearfar_collectives_describe(nearfar_team* team);

/* ---- Memory that near ranks share: large calls on it need no copy through rings ---- */

/** Zeroed memory of this rank; `bytes` may differ between ranks. Collective over the team. */
NEARFAR_API nearfar_status nearfar_allocate(nearfar_team* team, int64_t bytes, void** data);
/** Local; no call on the memory may be under way on any rank. Sets *data to NULL. The team frees what is left. */
NEARFAR_API nearfar_status nearfar_free(nearfar_team* team, void** data);

/* ---- Plans: a call made once for given buffers, carried out many times ---- */

/** A call that was made once for given buffers, carried out many times. */
typedef struct nearfar_collective_plan nearfar_collective_plan;

/* Make and tune a plan; `options` may be NULL. Lists are copied, buffers must stay where they are. Collective over
 * the team. */
/** A plan of nearfar_barrier(). Returns when every rank has called it. */
NEARFAR_API nearfar_status nearfar_collective_plan_barrier(nearfar_team* team, const nearfar_plan_options* options,
                                                           nearfar_collective_plan** plan);
/** A plan of nearfar_bcast(). The root's data on every rank. */
NEARFAR_API nearfar_status nearfar_collective_plan_bcast(nearfar_team* team, void* data, int64_t count,
                                                         MPI_Datatype type, int root,
                                                         const nearfar_plan_options* options,
                                                         nearfar_collective_plan** plan);
/** A plan of nearfar_reduce(). All inputs combined, element by element, on the root. */
NEARFAR_API nearfar_status nearfar_collective_plan_reduce(nearfar_team* team, const void* in, void* out, int64_t count,
                                                          MPI_Datatype type, MPI_Op op, int root,
                                                          const nearfar_plan_options* options,
                                                          nearfar_collective_plan** plan);
/** A plan of nearfar_allreduce(). All inputs combined, element by element, on every rank. */
NEARFAR_API nearfar_status nearfar_collective_plan_allreduce(nearfar_team* team, const void* in, void* out,
                                                             int64_t count, MPI_Datatype type, MPI_Op op,
                                                             const nearfar_plan_options* options,
                                                             nearfar_collective_plan** plan);
/** A plan of nearfar_scan(). The inputs of ranks 0 … this one combined. */
NEARFAR_API nearfar_status nearfar_collective_plan_scan(nearfar_team* team, const void* in, void* out, int64_t count,
                                                        MPI_Datatype type, MPI_Op op,
                                                        const nearfar_plan_options* options,
                                                        nearfar_collective_plan** plan);
/** A plan of nearfar_exscan(). The inputs of the ranks below this one combined; not defined on rank 0. */
NEARFAR_API nearfar_status nearfar_collective_plan_exscan(nearfar_team* team, const void* in, void* out, int64_t count,
                                                          MPI_Datatype type, MPI_Op op,
                                                          const nearfar_plan_options* options,
                                                          nearfar_collective_plan** plan);
/** A plan of nearfar_reduce_scatter(). All inputs combined; rank r gets counts[r] elements of the result. */
NEARFAR_API nearfar_status nearfar_collective_plan_reduce_scatter(nearfar_team* team, const void* in, void* out,
                                                                  const int64_t* counts, MPI_Datatype type, MPI_Op op,
                                                                  const nearfar_plan_options* options,
                                                                  nearfar_collective_plan** plan);
/** A plan of nearfar_reduce_scatter_block(). All inputs combined; every rank gets an equal block of the result. */
NEARFAR_API nearfar_status nearfar_collective_plan_reduce_scatter_block(nearfar_team* team, const void* in, void* out,
                                                                        int64_t count, MPI_Datatype type, MPI_Op op,
                                                                        const nearfar_plan_options* options,
                                                                        nearfar_collective_plan** plan);
/** A plan of nearfar_gather(). Everybody's block, in the order of ranks, on the root. */
NEARFAR_API nearfar_status nearfar_collective_plan_gather(nearfar_team* team, const void* in, int64_t send_count,
                                                          MPI_Datatype send_type, void* out, int64_t receive_count,
                                                          MPI_Datatype receive_type, int root,
                                                          const nearfar_plan_options* options,
                                                          nearfar_collective_plan** plan);
/** A plan of nearfar_gatherv(). Everybody's block on the root, where counts and displs say; both matter there only. */
NEARFAR_API nearfar_status nearfar_collective_plan_gatherv(nearfar_team* team, const void* in, int64_t send_count,
                                                           MPI_Datatype send_type, void* out, const int64_t* counts,
                                                           const int64_t* displs, MPI_Datatype receive_type, int root,
                                                           const nearfar_plan_options* options,
                                                           nearfar_collective_plan** plan);
/** A plan of nearfar_scatter(). A block of the root's for each rank, in the order of ranks. */
NEARFAR_API nearfar_status nearfar_collective_plan_scatter(nearfar_team* team, const void* in, int64_t send_count,
                                                           MPI_Datatype send_type, void* out, int64_t receive_count,
                                                           MPI_Datatype receive_type, int root,
                                                           const nearfar_plan_options* options,
                                                           nearfar_collective_plan** plan);
/** A plan of nearfar_scatterv(). A block of the root's for each rank, which counts and displs describe; both matter
 * there only. */
NEARFAR_API nearfar_status nearfar_collective_plan_scatterv(nearfar_team* team, const void* in, const int64_t* counts,
                                                            const int64_t* displs, MPI_Datatype send_type, void* out,
                                                            int64_t receive_count, MPI_Datatype receive_type, int root,
                                                            const nearfar_plan_options* options,
                                                            nearfar_collective_plan** plan);
/** A plan of nearfar_allgather(). Everybody's block, in the order of ranks, on every rank. */
NEARFAR_API nearfar_status nearfar_collective_plan_allgather(nearfar_team* team, const void* in, int64_t send_count,
                                                             MPI_Datatype send_type, void* out, int64_t receive_count,
                                                             MPI_Datatype receive_type,
                                                             const nearfar_plan_options* options,
                                                             nearfar_collective_plan** plan);
/** A plan of nearfar_allgatherv(). Everybody's block on every rank, where counts and displs say. */
NEARFAR_API nearfar_status nearfar_collective_plan_allgatherv(nearfar_team* team, const void* in, int64_t send_count,
                                                              MPI_Datatype send_type, void* out, const int64_t* counts,
                                                              const int64_t* displs, MPI_Datatype receive_type,
                                                              const nearfar_plan_options* options,
                                                              nearfar_collective_plan** plan);
/** A plan of nearfar_alltoall(). A block from every rank to every rank, in the order of ranks. */
NEARFAR_API nearfar_status nearfar_collective_plan_alltoall(nearfar_team* team, const void* in, int64_t send_count,
                                                            MPI_Datatype send_type, void* out, int64_t receive_count,
                                                            MPI_Datatype receive_type,
                                                            const nearfar_plan_options* options,
                                                            nearfar_collective_plan** plan);
/** A plan of nearfar_alltoallv(). A block from every rank to every rank, where counts and displs say. */
NEARFAR_API nearfar_status nearfar_collective_plan_alltoallv(
    nearfar_team* team, const void* in, const int64_t* send_counts, const int64_t* send_displs, MPI_Datatype send_type,
    void* out, const int64_t* receive_counts, const int64_t* receive_displs, MPI_Datatype receive_type,
    const nearfar_plan_options* options, nearfar_collective_plan** plan);
/** A plan of nearfar_alltoallw(). A block from every rank to every rank with a type per rank; displs are in bytes. */
NEARFAR_API nearfar_status nearfar_collective_plan_alltoallw(
    nearfar_team* team, const void* in, const int64_t* send_counts, const int64_t* send_displs,
    const MPI_Datatype* send_types, void* out, const int64_t* receive_counts, const int64_t* receive_displs,
    const MPI_Datatype* receive_types, const nearfar_plan_options* options, nearfar_collective_plan** plan);

/** Carries the call out. Collective over the team. */
NEARFAR_API nearfar_status nearfar_collective_plan_run(nearfar_collective_plan* plan);
/** Starts; until finish the buffers belong to the plan. Plans may be started and finished in any order. */
NEARFAR_API nearfar_status nearfar_collective_plan_start(nearfar_collective_plan* plan);
NEARFAR_API nearfar_status nearfar_collective_plan_test(nearfar_collective_plan* plan,
                                                        int* done); /**< done: finish would not wait */
/** Waits until this rank's result is there and its buffers are the caller's again. */
NEARFAR_API nearfar_status nearfar_collective_plan_finish(nearfar_collective_plan* plan);
/** Local. Sets *plan to NULL. */
NEARFAR_API nearfar_status nearfar_collective_plan_free(nearfar_collective_plan** plan);

/** The team that it was made over; NULL after an error. Local. */
NEARFAR_API nearfar_team* nearfar_collective_plan_team(const nearfar_collective_plan* plan);
NEARFAR_API const char* nearfar_collective_plan_method(nearfar_collective_plan* plan);       /**< of run */
NEARFAR_API const char* nearfar_collective_plan_start_method(nearfar_collective_plan* plan); /**< of start and finish */
/** What was tried and chosen, with times. Local. */
NEARFAR_API const char* nearfar_collective_plan_describe(nearfar_collective_plan* plan);
/** What was tried and chosen, as JSON (C++'s describe_json()). Local. */
NEARFAR_API const char* nearfar_collective_plan_describe_json(nearfar_collective_plan* plan);
NEARFAR_API double nearfar_collective_plan_tuned_seconds(
    const nearfar_collective_plan* plan); /**< of run; 0 if unknown */

/* ---- For bindings of other languages ---- */

/** One side of a call; `count` -1: an equal share of `capacity`, the elements of the array (-1: unknown). `scale`
 * elements of `type` make up one element of the array. */
typedef struct nearfar_side {
  void* data;                     /**< where the array begins, or MPI_IN_PLACE; of `send` it is only read */
  int64_t count, capacity, scale; /**< as above, in elements of `type` */
  MPI_Datatype type;              /**< of the elements */
  const int64_t *counts, *displs; /**< of the v forms and alltoallw: per rank; NULL elsewhere */
  const MPI_Datatype* types;      /**< per rank, alltoallw only */
} nearfar_side;
/** `kind`: 0 … 16 for barrier, bcast, reduce, allreduce, gather, gatherv, scatter, scatterv, allgather, allgatherv,
 * reduce_scatter, reduce_scatter_block, alltoall, alltoallv, alltoallw, scan, exscan. Reductions and bcast have
 * count and type in `receive`. */
typedef struct nearfar_call {
  int kind, root;             /**< which call, and its root where it has one */
  MPI_Op op;                  /**< of reductions */
  nearfar_side send, receive; /**< the two sides */
} nearfar_call;
/** Carries the call out. Collective over the team. */
NEARFAR_API nearfar_status nearfar_run_call(nearfar_team* team, const nearfar_call* call);
/** A plan of any call. Collective over the team. */
NEARFAR_API nearfar_status nearfar_collective_plan_create(nearfar_team* team, const nearfar_call* call,
                                                          const nearfar_plan_options* options,
                                                          nearfar_collective_plan** plan);

#ifdef __cplusplus
}
#endif
#endif
