// SPDX-License-Identifier: BSD-3-Clause
// Errors, and reductions of a communicator.
#include <nearfar/nearfar.h>

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "domains.hpp"

extern "C" {

uint comm_gbl_id = 0, comm_gbl_np = 1;

void die(int status) {
  std::fflush(nullptr);
  nearfar_end_job(status == 0 ? 1 : status);
  std::abort();  // not reached
}

static void say(const char* prefix, const char* file, unsigned line, const char* format, va_list words) {
  std::printf("%s(proc %04u, %s:%u): ", prefix, comm_gbl_id, file, line);
  std::vprintf(format, words);
  std::printf("\n");
  std::fflush(stdout);
}

void diagnostic(const char* prefix, const char* file, unsigned line, const char* format, ...) {
  va_list words;
  va_start(words, format);
  say(prefix, file, line, format, words);
  va_end(words);
}

void fail(int status, const char* file, unsigned line, const char* format, ...) {
  va_list words;
  va_start(words, format);
  say("ERROR ", file, line, format, words);
  va_end(words);
  die(status);
}

}  // extern "C"

namespace {

using nearfar_gslib::with_domain;

MPI_Datatype type_of(gs_dom dom) {
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_FLOAT, MPI_INT, MPI_LONG, MPI_LONG_LONG};
  return types[nearfar_gslib::checked(dom)];
}

void common_bits(void* from, void* to, int* n, MPI_Datatype* type) {
  for (int d = gs_double; d < gs_dom_n; ++d)
    if (*type == type_of(static_cast<gs_dom>(d))) {
      with_domain(static_cast<gs_dom>(d), [&]<class T>(T) {
        for (int i = 0; i < *n; ++i)
          nearfar_gslib::combine(gs_bpr, static_cast<T*>(to)[i], static_cast<const T*>(from)[i]);
      });
      return;
    }
}

/// The operation of MPI; that of gs_bpr is made at the first call.
MPI_Op op_of(gs_op op) {
  static MPI_Op bits = MPI_OP_NULL;
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  if (nearfar_gslib::checked(op) != gs_bpr) return ops[op];
  if (bits == MPI_OP_NULL) MPI_Op_create(common_bits, 1, &bits);
  return bits;
}

}  // namespace

extern "C" {

void comm_allreduce(const struct comm* c, gs_dom dom, gs_op op, void* v, uint n, void*) {
  if (n != 0) MPI_Allreduce(MPI_IN_PLACE, v, gslib_count_(n), type_of(dom), op_of(op), c->c);
}

void comm_iallreduce(comm_req* request, const struct comm* c, gs_dom dom, gs_op op, void* v, uint n, void* buf) {
  *request = MPI_REQUEST_NULL;
  if (n != 0) MPI_Iallreduce(v, buf, gslib_count_(n), type_of(dom), op_of(op), c->c, request);
}

void comm_scan(void* scan, const struct comm* c, gs_dom dom, gs_op op, const void* v, uint n, void*) {
  if (n == 0) return;
  const int count = gslib_count_(n);
  with_domain(dom, [&]<class T>(T) {
    T* const below = static_cast<T*>(scan);
    std::fill_n(below, n, nearfar_gslib::identity<T>(op));
    std::vector<T> lower(n);
    MPI_Exscan(v, lower.data(), count, type_of(dom), op_of(op), c->c);
    if (c->id != 0) std::copy(lower.begin(), lower.end(), below);
    MPI_Allreduce(v, below + n, count, type_of(dom), op_of(op), c->c);
  });
}

void gslib_comm_reduce_(const struct comm* c, gs_dom dom, gs_op op, const void* in, uint n, void* out) {
  with_domain(dom, [&]<class T>(T) {
    T* const result = static_cast<T*>(out);
    *result = nearfar_gslib::identity<T>(op);
    for (uint i = 0; i < n; ++i) nearfar_gslib::combine(op, *result, static_cast<const T*>(in)[i]);
  });
  comm_allreduce(c, dom, op, out, 1, nullptr);
}

double comm_dot(const struct comm* c, double* v, double* w, uint n) {
  double sum = 0;
  for (uint i = 0; i < n; ++i) sum += v[i] * w[i];
  comm_allreduce(c, gs_double, gs_add, &sum, 1, nullptr);
  return sum;
}

}  // extern "C"
