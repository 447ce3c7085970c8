/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of MPI under the names of gslib: part of gslib.h, which includes it. Lengths are bytes. */
#ifndef NEARFAR_GSLIB_COMM_H
#define NEARFAR_GSLIB_COMM_H

/** c becomes a duplicate of `from`. Collective. */
static inline void comm_init(struct comm* c, comm_ext from) {
  int rank, ranks;
  MPI_Comm_dup(from, &c->c);
  MPI_Comm_rank(c->c, &rank);
  MPI_Comm_size(c->c, &ranks);
  comm_gbl_id = c->id = (uint)rank;
  comm_gbl_np = c->np = (uint)ranks;
}
/** The same for Fortran's handle, which must have np ranks. */
static inline void comm_init_check_(struct comm* c, MPI_Fint from, uint np, const char* file, unsigned line) {
#ifdef MPI_ABI_VERSION
  comm_init(c, MPI_Comm_fromint(from));
#else
  comm_init(c, MPI_Comm_f2c(from));
#endif
  if (c->np != np) fail(1, file, line, "comm_init_check: the communicator has %u ranks, not %u", c->np, np);
}
#define comm_init_check(c, from, np) comm_init_check_(c, from, np, __FILE__, __LINE__)
static inline void comm_dup(struct comm* to, const struct comm* from) {
  to->id = from->id, to->np = from->np;
  MPI_Comm_dup(from->c, &to->c);
}
static inline void comm_split(const struct comm* from, int bin, int key, struct comm* to) {
  MPI_Comm part;
  MPI_Comm_split(from->c, bin, key, &part);
  comm_init(to, part);
  MPI_Comm_free(&part);
}
static inline void comm_free(struct comm* c) { MPI_Comm_free(&c->c); }

static inline double comm_time(void) { return MPI_Wtime(); }
static inline void comm_barrier(const struct comm* c) { MPI_Barrier(c->c); }

static inline int gslib_count_(size_t n) {
  if (n > 0x7fffffff) fail(1, __FILE__, __LINE__, "a message of %zu elements is longer than 2^31 - 1", n);
  return (int)n;
}
static inline void comm_recv(const struct comm* c, void* p, size_t n, uint from, int tag) {
  MPI_Recv(p, gslib_count_(n), MPI_UNSIGNED_CHAR, (int)from, tag, c->c, MPI_STATUS_IGNORE);
}
static inline void comm_send(const struct comm* c, void* p, size_t n, uint to, int tag) {
  MPI_Send(p, gslib_count_(n), MPI_UNSIGNED_CHAR, (int)to, tag, c->c);
}
static inline void comm_irecv(comm_req* request, const struct comm* c, void* p, size_t n, uint from, int tag) {
  MPI_Irecv(p, gslib_count_(n), MPI_UNSIGNED_CHAR, (int)from, tag, c->c, request);
}
static inline void comm_isend(comm_req* request, const struct comm* c, void* p, size_t n, uint to, int tag) {
  MPI_Isend(p, gslib_count_(n), MPI_UNSIGNED_CHAR, (int)to, tag, c->c, request);
}
static inline void comm_wait(comm_req* requests, int n) { MPI_Waitall(n, requests, MPI_STATUSES_IGNORE); }
static inline void comm_bcast(const struct comm* c, void* p, size_t n, uint root) {
  MPI_Bcast(p, gslib_count_(n), MPI_UNSIGNED_CHAR, (int)root, c->c);
}
/** `out` of all ranks, one after the other, in `in` of the root. */
static inline void comm_gather(const struct comm* c, void* out, size_t out_n, void* in, size_t in_n, uint root) {
  MPI_Gather(out, gslib_count_(out_n), MPI_UNSIGNED_CHAR, in, gslib_count_(in_n), MPI_UNSIGNED_CHAR, (int)root, c->c);
}

/** comm_reduce_double(c, op, in, n) and so on: op over the `in` of all ranks. Collective. */
NEARFAR_GSLIB void gslib_comm_reduce_(const struct comm* c, gs_dom dom, gs_op op, const void* in, uint n, void* out);
#define NEARFAR_GSLIB_REDUCE(T)                                                          \
  static inline T comm_reduce_##T(const struct comm* c, gs_op op, const T* in, uint n) { \
    T out;                                                                               \
    gslib_comm_reduce_(c, gs_##T, op, in, n, &out);                                      \
    return out;                                                                          \
  }
NEARFAR_GSLIB_REDUCE(double)
NEARFAR_GSLIB_REDUCE(float)
NEARFAR_GSLIB_REDUCE(int)
NEARFAR_GSLIB_REDUCE(long)
NEARFAR_GSLIB_REDUCE(long_long)
#undef NEARFAR_GSLIB_REDUCE
#define comm_reduce_sint comm_reduce_int
#define comm_reduce_slong comm_reduce_long_long

#endif
