/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs written for gslib: include this instead of gslib.h. Its gather-scatter calls by their own names, with ids of 64 bits
 * (slong); errors end the program, as in gslib. Buffers are accepted and not needed, methods are chosen by tuning. */
#ifndef NEARFAR_GSLIB_NAMES_H
#define NEARFAR_GSLIB_NAMES_H

#include <nearfar/gslib.h>

typedef int sint;
typedef unsigned int uint;
typedef int64_t slong;
typedef MPI_Comm comm_ext;

#define gs_data nearfar_gs_data

typedef enum {
  gs_double = NEARFAR_FLOAT64,
  gs_float = NEARFAR_FLOAT32,
  gs_int = NEARFAR_INT32,
  gs_sint = NEARFAR_INT32,
  gs_long = sizeof(long) == 8 ? NEARFAR_INT64 : NEARFAR_INT32,
  gs_slong = NEARFAR_INT64,
  gs_long_long = NEARFAR_INT64
} gs_dom;
typedef enum {
  gs_add = NEARFAR_PLUS,
  gs_mul = NEARFAR_MULTIPLY,
  gs_min = NEARFAR_MINIMUM,
  gs_max = NEARFAR_MAXIMUM
} gs_op;
typedef enum { gs_auto, gs_pairwise, gs_crystal_router, gs_all_reduce } gs_method;

typedef struct {
  size_t n;
} buffer;
static inline void buffer_init(buffer* b, size_t n) { b->n = n; }
static inline void buffer_free(buffer* b) { b->n = 0; }

struct comm {
  uint id, np;
  nearfar_team* team;
};
static inline void comm_init(struct comm* c, comm_ext from) {
  NEARFAR_TRY(nearfar_team_create(from, &c->team));
  c->id = (uint)nearfar_team_rank(c->team);
  c->np = (uint)nearfar_team_size(c->team);
}
static inline void comm_free(struct comm* c) { NEARFAR_TRY(nearfar_team_free(&c->team)); }

static inline struct gs_data* gs_setup(const slong* id, uint n, const struct comm* c, int unique, gs_method method,
                                       int verbose) {
  struct gs_data* g;
  (void)method, (void)verbose; /* nearfar_gs_describe() says more */
  NEARFAR_TRY(nearfar_gs_setup(c->team, id, n, unique, NULL, &g));
  return g;
}
static inline void gs_free(struct gs_data* g) { NEARFAR_TRY(nearfar_gs_free(&g)); }
static inline void gs_unique(slong* id, uint n, const struct comm* c) {
  NEARFAR_TRY(nearfar_gs_unique(c->team, id, n));
}

static inline void gs(void* u, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer* b) {
  (void)b;
  NEARFAR_TRY(nearfar_gs(u, (nearfar_type)dom, (nearfar_scatter_op)op, transpose != 0, g));
}
static inline void gs_vec(void* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer* b) {
  (void)b;
  NEARFAR_TRY(nearfar_gs_vec(u, (int)k, (nearfar_type)dom, (nearfar_scatter_op)op, transpose != 0, g));
}
static inline void gs_many(void* const* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g,
                           buffer* b) {
  (void)b;
  NEARFAR_TRY(nearfar_gs_many(u, (int)k, (nearfar_type)dom, (nearfar_scatter_op)op, transpose != 0, g));
}

static inline void igs(void* u, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer* b, int* handle) {
  (void)b;
  NEARFAR_TRY(nearfar_igs(u, (nearfar_type)dom, (nearfar_scatter_op)op, transpose != 0, g, handle));
}
static inline void igs_vec(void* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g, buffer* b,
                           int* handle) {
  (void)b;
  NEARFAR_TRY(nearfar_igs_vec(u, (int)k, (nearfar_type)dom, (nearfar_scatter_op)op, transpose != 0, g, handle));
}
static inline void igs_many(void* const* u, unsigned k, gs_dom dom, gs_op op, unsigned transpose, struct gs_data* g,
                            buffer* b, int* handle) {
  (void)b;
  NEARFAR_TRY(nearfar_igs_many(u, (int)k, (nearfar_type)dom, (nearfar_scatter_op)op, transpose != 0, g, handle));
}
static inline void gs_wait(int handle) { NEARFAR_TRY(nearfar_gs_wait(handle)); }

#endif
