/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for gslib's header of this name: programs of gslib keep their sources, find this folder on their include
 * path and link libnearfar_gslib. Gather-scatter runs on Nearfar's gather plans; the rest is what such programs use
 * beside it.
 *
 * Errors end the job with a message, as in gslib. Collective calls are collective over their communicator. Local
 * integers (sint, uint) have 32 bits, global ones (slong, ulong) 64, as gslib is built by default. */
#ifndef GS_GSLIB_H
#define GS_GSLIB_H

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(GSLIB_USE_LONG) || defined(GSLIB_USE_LONG_LONG) || defined(GSLIB_USE_GLOBAL_LONG)
#error "nearfar: sint has 32 bits and slong is long long; GSLIB_USE_LONG, _LONG_LONG and _GLOBAL_LONG cannot be had"
#endif
/* How gslib's own build sets itself up; programs ask. */
#ifndef GSLIB_USE_MPI
#define GSLIB_USE_MPI
#endif
#ifndef GSLIB_USE_GLOBAL_LONG_LONG
#define GSLIB_USE_GLOBAL_LONG_LONG
#endif
#define GSLIB_RELEASE_VERSION 10009 /* whose names these are */

/* Macros, since the C library has types of some of these names. */
#define sint signed int
#define uint unsigned int
#define slong signed long long
#define ulong unsigned long long
#define iabs abs
#define iabsl llabs
typedef long long long_long;
typedef MPI_Comm comm_ext;
typedef MPI_Request comm_req;

/* Names of the library's functions have a prefix, as gslib's have, so that they meet no others. */
#define GS_PREFIXED_NAME(name) gslib_##name
#define GS_FORTRAN_NAME(low, up) fgslib_##low##_
#define GS_FORTRAN_UNPREFIXED(low, up) low##_
#define die gslib_die
#define fail gslib_fail
#define diagnostic gslib_diagnostic
#define comm_gbl_id gslib_comm_gbl_id
#define comm_gbl_np gslib_comm_gbl_np
#define comm_allreduce gslib_comm_allreduce
#define comm_iallreduce gslib_comm_iallreduce
#define comm_scan gslib_comm_scan
#define comm_dot gslib_comm_dot
#define crystal_init gslib_crystal_init
#define crystal_free gslib_crystal_free
#define crystal_router gslib_crystal_router
#define sarray_transfer_many gslib_sarray_transfer_many
#define sarray_transfer_ gslib_sarray_transfer_
#define sarray_transfer_ext_ gslib_sarray_transfer_ext_
#define sarray_permute_ gslib_sarray_permute_
#define sarray_permute_buf_ gslib_sarray_permute_buf_
#define sortv gslib_sortv_ui
#define sortv_long gslib_sortv_ull
#define sortv_double gslib_sortv_double
#define sortv_float gslib_sortv_float
#define sortp gslib_sortp_ui
#define sortp_long gslib_sortp_ull
#define sortp_double gslib_sortp_double
#define sortp_float gslib_sortp_float
#define gs gslib_gs
#define gs_vec gslib_gs_vec
#define gs_many gslib_gs_many
#define igs gslib_igs
#define igs_vec gslib_igs_vec
#define igs_many gslib_igs_many
#define gs_wait gslib_gs_wait
#define gs_setup gslib_gs_setup
#define gs_free gslib_gs_free
#define gs_unique gslib_gs_unique
#define gs_hf2c gslib_gs_hf2c

#if defined(__GNUC__)
#define NEARFAR_GSLIB __attribute__((visibility("default")))
#define NEARFAR_GSLIB_ENDS __attribute__((noreturn))
#define NEARFAR_GSLIB_FORMAT __attribute__((format(printf, 4, 5)))
#else
#define NEARFAR_GSLIB
#define NEARFAR_GSLIB_ENDS
#define NEARFAR_GSLIB_FORMAT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors: each ends all ranks ---- */

NEARFAR_GSLIB void die(int status) NEARFAR_GSLIB_ENDS;
NEARFAR_GSLIB void diagnostic(const char* prefix, const char* file, unsigned line, const char* format,
                              ...) NEARFAR_GSLIB_FORMAT;
NEARFAR_GSLIB void fail(int status, const char* file, unsigned line, const char* format,
                        ...) NEARFAR_GSLIB_ENDS NEARFAR_GSLIB_FORMAT;
extern NEARFAR_GSLIB uint comm_gbl_id, comm_gbl_np; /* of the communicator made last, for messages */

/* ---- Memory: what cannot be had is an error ---- */

#include "gslib_memory.h"

/* ---- Domains and operations ---- */

typedef enum { gs_double, gs_float, gs_int, gs_long, gs_long_long, gs_dom_n } gs_dom;
typedef enum { gs_add, gs_mul, gs_min, gs_max, gs_bpr, gs_op_n } gs_op; /* bpr: the common leading bits */
typedef enum { gs_auto, gs_pairwise, gs_crystal_router, gs_all_reduce } gs_method;
#define gs_sint gs_int
#define gs_slong gs_long_long

/* ---- Communicators ---- */

struct comm {
  uint id, np;
  comm_ext c;
};
#include "gslib_comm.h"

/** Vectors of n values: v becomes op over the v of all ranks; buf has room for as many. Collective. */
NEARFAR_GSLIB void comm_allreduce(const struct comm* c, gs_dom dom, gs_op op, void* v, uint n, void* buf);
/** The same into buf, over when *request is. Not with gs_bpr. */
NEARFAR_GSLIB void comm_iallreduce(comm_req* request, const struct comm* c, gs_dom dom, gs_op op, void* v, uint n,
                                   void* buf);
/** scan[0 … n-1]: over the ranks below this one; scan[n … 2n-1]: over all. buf has room for 2 n values. Collective. */
NEARFAR_GSLIB void comm_scan(void* scan, const struct comm* c, gs_dom dom, gs_op op, const void* v, uint n, void* buf);
NEARFAR_GSLIB double comm_dot(const struct comm* c, double* v, double* w, uint n);

/* ---- Crystal router: messages (target, source, n, n integers) in data, data.n integers in all; on return those for
 * this rank. Collective; log2(ranks) messages per rank. ---- */

struct crystal {
  struct comm comm;
  buffer data, work;
};
NEARFAR_GSLIB void crystal_init(struct crystal* cr, const struct comm* c);
NEARFAR_GSLIB void crystal_free(struct crystal* cr);
NEARFAR_GSLIB void crystal_router(struct crystal* cr);

/* ---- Sorting, stable: values, or a permutation at the start of the buffer. stride in bytes. ---- */

NEARFAR_GSLIB void sortv(uint* out, const uint* a, uint n, unsigned stride, buffer* buf);
NEARFAR_GSLIB void sortv_long(ulong* out, const ulong* a, uint n, unsigned stride, buffer* buf);
NEARFAR_GSLIB void sortv_double(double* out, const double* a, uint n, unsigned stride, buffer* buf);
NEARFAR_GSLIB void sortv_float(float* out, const float* a, uint n, unsigned stride, buffer* buf);
NEARFAR_GSLIB uint* sortp(buffer* buf, int start_perm, const uint* a, uint n, unsigned stride);
NEARFAR_GSLIB uint* sortp_long(buffer* buf, int start_perm, const ulong* a, uint n, unsigned stride);
NEARFAR_GSLIB uint* sortp_double(buffer* buf, int start_perm, const double* a, uint n, unsigned stride);
NEARFAR_GSLIB uint* sortp_float(buffer* buf, int start_perm, const float* a, uint n, unsigned stride);

#include "gslib_sarray.h"

/* ---- Gather-scatter. Entry i of a rank belongs to the group of all entries of all ranks with the same |id[i]|; an id
 * of 0 takes no part. A negative id flags its entry: with transpose == 0 it receives, but does not contribute; with
 * transpose != 0 it contributes, but is not written. All copies of a group's result have the same bits (which gslib
 * does not promise). A group without contributions has the operation's identity: zero, one, or the largest or lowest
 * value of the type, infinities included. ---- */

struct gs_data;

/** Finds out who shares which ids, and makes the plan. unique: as gs_unique() first, but id is left alone. The method
 * is chosen by tuning, whatever is asked for; verbose: the first rank says which. c may be freed at once. Collective.
 */
NEARFAR_GSLIB struct gs_data* gs_setup(const slong* id, uint n, const struct comm* c, int unique, gs_method method,
                                       int verbose);
/** Collective. Calls that nobody has waited for are lost, and what their arrays hold is not defined. */
NEARFAR_GSLIB void gs_free(struct gs_data* g);
/** Flags all entries of each group but one, which is on the lowest rank that has one unflagged. Collective. */
NEARFAR_GSLIB void gs_unique(slong* id, uint n, const struct comm* c);

/** u[i] = op over the u of i's group. Collective. u has n elements. buf is not needed, and may be NULL. */
NEARFAR_GSLIB void gs(void* u, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer* buf);
/** The same on u[n][k]. */
NEARFAR_GSLIB void gs_vec(void* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g,
                          buffer* buf);
/** The same on k arrays, which travel together (16 at a time). */
NEARFAR_GSLIB void gs_many(void* const* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g,
                           buffer* buf);

/** As gs(), over when gs_wait(*handle) returns. All ranks make the calls of one g in one order, this one and gs()
 * alike. Contributions leave at once where nothing else of g is under way, else as soon as that is over; results are
 * taken in gs_wait(). Any number may be under way; calls of different g are waited for in one order. u must not be
 * touched in between. */
NEARFAR_GSLIB void igs(void* u, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer* buf, int* handle);
NEARFAR_GSLIB void igs_vec(void* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g,
                           buffer* buf, int* handle);
NEARFAR_GSLIB void igs_many(void* const* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g,
                            buffer* buf, int* handle);
/** Collective. Calls that were made before this one on the same g are over then, too. */
NEARFAR_GSLIB void gs_wait(int handle);

/** What a handle of the Fortran calls (fgslib_gs_setup) stands for. Local. */
NEARFAR_GSLIB struct gs_data* gs_hf2c(sint handle);
/** Of this library only: method, sizes and neighbours in words. Local; valid until the next call for g. */
NEARFAR_GSLIB const char* nearfar_gslib_describe(struct gs_data* g);

#ifdef __cplusplus
}
#endif
#endif
