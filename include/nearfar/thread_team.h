/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread teams for C: collectives called by all threads of all ranks. See thread_team.hpp for what holds for all of
 * them. */
#ifndef NEARFAR_THREAD_TEAM_H
#define NEARFAR_THREAD_TEAM_H

#include <nearfar/nearfar.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nearfar_thread_team nearfar_thread_team; /**< The threads of all ranks of a team */

/** Made by one thread of each rank, which has `threads` threads. Collective over the team, which lives on until this
 * is freed. */
NEARFAR_API nearfar_status nearfar_thread_team_create(nearfar_team* team, int threads, nearfar_thread_team** all);
/** By one thread of each rank, when the others have left their last call. Collective. Sets *all to NULL. */
NEARFAR_API nearfar_status nearfar_thread_team_free(nearfar_thread_team** all);

/* Local. -1 after an error. */
NEARFAR_API int nearfar_thread_team_threads(const nearfar_thread_team* all);  /**< of this rank */
NEARFAR_API int64_t nearfar_thread_team_size(const nearfar_thread_team* all); /**< threads of all ranks */
NEARFAR_API int64_t nearfar_thread_team_first_of(const nearfar_thread_team* all,
                                                 int rank); /**< number of its thread 0 */
/** A line per fact; valid until the next call of this function. */
NEARFAR_API const char* nearfar_thread_team_describe(nearfar_thread_team* all);

/* All threads of all ranks call these in the same order; `thread` is the caller's number in its rank, from 0 on. An
 * error is returned on all threads of the rank. `in` may be MPI_IN_PLACE in allreduce, reduce (at the root) and
 * allgather. */

/** Returns when all threads of all ranks have called it. */
NEARFAR_API nearfar_status nearfar_thread_barrier(nearfar_thread_team* all, int thread);
/** Out = the `op` of the `in` of all threads, the same bits on all of them; sums go in the order of threads, then of
 * ranks. `out` may be NULL. */
NEARFAR_API nearfar_status nearfar_thread_allreduce(nearfar_thread_team* all, int thread, const void* in, void* out,
                                                    int64_t count, MPI_Datatype type, MPI_Op op);
/** *result is shared by the threads of the rank, only to be read, and valid until this thread's next call. */
NEARFAR_API nearfar_status nearfar_thread_allreduce_view(nearfar_thread_team* all, int thread, const void* in,
                                                         int64_t count, MPI_Datatype type, MPI_Op op,
                                                         const void** result);
/** The same with the result on one thread of one rank; `out` counts only there. */
NEARFAR_API nearfar_status nearfar_thread_reduce(nearfar_thread_team* all, int thread, const void* in, void* out,
                                                 int64_t count, MPI_Datatype type, MPI_Op op, int root_rank,
                                                 int root_thread);
/** Each thread gets `count` elements of the result: those that begin at its number among all threads times count.
 * `in` has `count` elements for each thread of all ranks. */
NEARFAR_API nearfar_status nearfar_thread_reduce_scatter_block(nearfar_thread_team* all, int thread, const void* in,
                                                               void* out, int64_t count, MPI_Datatype type, MPI_Op op);
/** Copies `data` of one thread of one rank to `data` of all others. */
NEARFAR_API nearfar_status nearfar_thread_bcast(nearfar_thread_team* all, int thread, void* data, int64_t count,
                                                MPI_Datatype type, int root_rank, int root_thread);
/** Out = the `in` of all threads one after the other, `count` elements each. */
NEARFAR_API nearfar_status nearfar_thread_allgather(nearfar_thread_team* all, int thread, const void* in, void* out,
                                                    int64_t count, MPI_Datatype type);
/** This thread takes part no more: the others' calls return an error instead of waiting for it. */
NEARFAR_API nearfar_status nearfar_thread_abandon(nearfar_thread_team* all, int thread);

/* ---- For bindings of other languages: handles as integers; `in` NULL: in place ---- */

/** nearfar_thread_allreduce(). */
NEARFAR_API nearfar_status nearfar_thread_allreduce_fint(nearfar_thread_team* all, int thread, const void* in,
                                                         void* out, int64_t count, MPI_Fint type, MPI_Fint op);
/** nearfar_thread_reduce(). */
NEARFAR_API nearfar_status nearfar_thread_reduce_fint(nearfar_thread_team* all, int thread, const void* in, void* out,
                                                      int64_t count, MPI_Fint type, MPI_Fint op, int root_rank,
                                                      int root_thread);
/** nearfar_thread_reduce_scatter_block(). */
NEARFAR_API nearfar_status nearfar_thread_reduce_scatter_block_fint(nearfar_thread_team* all, int thread,
                                                                    const void* in, void* out, int64_t count,
                                                                    MPI_Fint type, MPI_Fint op);
/** nearfar_thread_bcast(). */
NEARFAR_API nearfar_status nearfar_thread_bcast_fint(nearfar_thread_team* all, int thread, void* data, int64_t count,
                                                     MPI_Fint type, int root_rank, int root_thread);
/** nearfar_thread_allgather(). */
NEARFAR_API nearfar_status nearfar_thread_allgather_fint(nearfar_thread_team* all, int thread, const void* in,
                                                         void* out, int64_t count, MPI_Fint type);

#ifdef __cplusplus
}
#endif
#endif
