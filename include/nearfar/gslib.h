/* SPDX-License-Identifier: BSD-3-Clause */
/* gslib's gather-scatter calls on Nearfar's plans; gslib_names.h gives them gslib's own names. */
#ifndef NEARFAR_GSLIB_H
#define NEARFAR_GSLIB_H

#include <nearfar/gather.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Entry i of a rank belongs to the group of all entries of all ranks with the same |id[i]|. An id of 0 takes no part. A negative id
 * flags its entry: with transpose == 0 it receives, but does not contribute; with transpose != 0 it contributes, but is not
 * written. All copies of a group's result have the same bits on all ranks (which gslib does not promise). A group without
 * contributions has the operation's identity: zero, one, or the largest or lowest value of the type, infinities included. */

typedef struct nearfar_gs_data nearfar_gs_data;

/** Finds out who shares which ids, and makes the plan. `unique`: as nearfar_gs_unique() first, but `id` is left alone. `method`: NULL
 * or "" is tuned, else as in nearfar_gather_options. Collective over the team; fails on every rank or on none. */
NEARFAR_API nearfar_status nearfar_gs_setup(nearfar_team* team, const int64_t* id, int64_t n, int unique,
                                            const char* method, nearfar_gs_data** g);
/** Collective. Sets *g to NULL. Calls that nobody has waited for are lost, and what their arrays hold is not defined. */
NEARFAR_API nearfar_status nearfar_gs_free(nearfar_gs_data** g);
/** Flags all entries of each group but one, which is on the lowest rank that has one unflagged. Collective. */
NEARFAR_API nearfar_status nearfar_gs_unique(nearfar_team* team, int64_t* id, int64_t n);

/** u[i] = op over the u of i's group. Collective. u has n elements. */
NEARFAR_API nearfar_status nearfar_gs(void* u, nearfar_type type, nearfar_scatter_op op, int transpose,
                                      nearfar_gs_data* g);
/** The same on u[n][k]. */
NEARFAR_API nearfar_status nearfar_gs_vec(void* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose,
                                          nearfar_gs_data* g);
/** The same on k arrays, which travel together (16 at a time). */
NEARFAR_API nearfar_status nearfar_gs_many(void* const* u, int k, nearfar_type type, nearfar_scatter_op op,
                                           int transpose, nearfar_gs_data* g);

/** As nearfar_gs(), over when nearfar_gs_wait(*handle) returns. Collective: all ranks make the calls of one g in one order, this one and
 * nearfar_gs() alike. Contributions leave at once where nothing else of g is under way, else as soon as that is over; results are taken
 * in nearfar_gs_wait(). Any number may be under way; calls of different g are waited for in one order. u must not be touched in
 * between. */
NEARFAR_API nearfar_status nearfar_igs(void* u, nearfar_type type, nearfar_scatter_op op, int transpose,
                                       nearfar_gs_data* g, int* handle);
NEARFAR_API nearfar_status nearfar_igs_vec(void* u, int k, nearfar_type type, nearfar_scatter_op op, int transpose,
                                           nearfar_gs_data* g, int* handle);
NEARFAR_API nearfar_status nearfar_igs_many(void* const* u, int k, nearfar_type type, nearfar_scatter_op op,
                                            int transpose, nearfar_gs_data* g, int* handle);
/** Collective. Calls that were made before this one on the same g are over then, too. */
NEARFAR_API nearfar_status nearfar_gs_wait(int handle);

NEARFAR_API const char* nearfar_gs_describe(nearfar_gs_data* g); /**< local */

#ifdef __cplusplus
}
#endif
#endif
