/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls on Fortran arrays of any type and rank, by their C descriptors. */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"

/* An array made contiguous: itself, or a copy of a section. */
typedef struct packed {
  const CFI_cdesc_t* array;
  char* data;
  int is_copy;
  int64_t elements;
} packed;

/* Copies all elements of a section to (or from) `data`. */
static void copy_section(const CFI_cdesc_t* array, char* data, int is_into_array) {
  CFI_index_t place[CFI_MAX_RANK] = {0};
  const int64_t all = nearfar_fortran_elements_of(array);
  for (int64_t i = 0; i < all; ++i, data += array->elem_len) {
    char* at = array->base_addr;
    for (int d = 0; d < array->rank; ++d) at += place[d] * array->dim[d].sm;
    memcpy(is_into_array ? at : data, is_into_array ? data : at, array->elem_len);
    for (int d = 0; d < array->rank && ++place[d] == array->dim[d].extent; ++d) place[d] = 0;
  }
}

static packed pack(const CFI_cdesc_t* array) {
  packed p = {array, NULL, 0, 0};
  if (array == NULL || array->base_addr == NULL) return p;
  p.elements = nearfar_fortran_elements_of(array);
  p.data = array->base_addr;
  p.is_copy = !nearfar_fortran_is_contiguous(array);
  if (!p.is_copy) return p;
  p.data = malloc((size_t)p.elements * array->elem_len + 1);
  if (p.data) copy_section(array, p.data, 0);
  return p;
}

static void unpack(packed* p, int is_result) {
  if (!p->is_copy || p->data == NULL) return;
  if (is_result) copy_section(p->array, p->data, 1);
  free(p->data);
}

static MPI_Datatype type_of(const CFI_cdesc_t* array) {
  switch (array->type) {
    case CFI_type_float:
      return MPI_FLOAT;
    case CFI_type_double:
      return MPI_DOUBLE;
    case CFI_type_float_Complex:
      return MPI_C_FLOAT_COMPLEX;
    case CFI_type_double_Complex:
      return MPI_C_DOUBLE_COMPLEX;
    case CFI_type_int8_t:
      return MPI_INT8_T;
    case CFI_type_int16_t:
      return MPI_INT16_T;
    case CFI_type_int32_t:
      return MPI_INT32_T;
    case CFI_type_int64_t:
      return MPI_INT64_T;
    case CFI_type_Logical + (4 << CFI_type_kind_shift):
      return MPI_LOGICAL;
    default:
      return MPI_BYTE; /* anything else is moved as it lies */
  }
}

static nearfar_side side_of(const packed* p, int has_shares) {
  nearfar_side s = {p->data, p->elements, p->elements, 1, MPI_BYTE, NULL, NULL, NULL};
  if (p->array == NULL) return s;
  s.type = type_of(p->array);
  if (s.type == MPI_BYTE) s.scale = (int64_t)p->array->elem_len;
  if (has_shares) s.count = -1;
  return s;
}

static MPI_Op op_of(const nearfar_wish* w) {
  const MPI_Op all[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
  if (w->op_number >= 0) return all[w->op_number];
  return w->op_number == -1 ? MPI_Op_f2c(w->op_handle) : MPI_OP_NULL;
}

static nearfar_call call_of(const nearfar_wish* w, const packed* in, const packed* out) {
  const int has_out = out->array != NULL, k = w->kind;
  const int has_equal_parts = k == NEARFAR_CALL_GATHER || k == NEARFAR_CALL_SCATTER || k == NEARFAR_CALL_ALLGATHER ||
                              k == NEARFAR_CALL_ALLTOALL;
  nearfar_call c = {.kind = k, .root = w->root, .op = op_of(w)};
  c.send = side_of(in, has_equal_parts && (k == NEARFAR_CALL_SCATTER || k == NEARFAR_CALL_ALLTOALL));
  c.receive = side_of(out, has_equal_parts && k != NEARFAR_CALL_SCATTER);
  if (!has_out) {
    c.receive = side_of(in, (has_equal_parts && k != NEARFAR_CALL_SCATTER) || k == NEARFAR_CALL_REDUCE_SCATTER_BLOCK);
    c.send = (nearfar_side){MPI_IN_PLACE, 0, -1, 1, MPI_BYTE, NULL, NULL, NULL};
    if (k == NEARFAR_CALL_BCAST) c.send.data = NULL;
  }
  c.send.counts = w->send_counts, c.send.displs = w->send_displs;
  c.receive.counts = w->receive_counts, c.receive.displs = w->receive_displs;
  return c;
}

/* The options, with what the elements are. Of a scatter some ranks have nothing but `out`. */
static nearfar_plan_options with_elements(const nearfar_plan_options* options, const nearfar_wish* w,
                                          const CFI_cdesc_t* in, const CFI_cdesc_t* out) {
  nearfar_plan_options all = *options;
  const int is_scatter = w->kind == NEARFAR_CALL_SCATTER || w->kind == NEARFAR_CALL_SCATTERV;
  const CFI_cdesc_t* array = in == NULL || (is_scatter && out != NULL) ? out : in;
  if (array != NULL) all.type_name = nearfar_fortran_elements_in_words(array);
  return all;
}

nearfar_status nearfar_fortran_collective(nearfar_team* team, const nearfar_wish* w, CFI_cdesc_t* in, CFI_cdesc_t* out,
                                          const nearfar_plan_options* options, nearfar_collective_plan** plan) {
  packed from = pack(in), to = pack(out);
  const nearfar_call call = call_of(w, &from, &to);
  nearfar_status status;
  if (options == NULL) {
    status = nearfar_run_call(team, &call);
  } else {
    const int is_loose = from.is_copy || to.is_copy;
    status = nearfar_agree(team, is_loose ? "arrays of a plan must be contiguous: a section has been given" : "");
    const nearfar_plan_options all = with_elements(options, w, in, out);
    if (status == NEARFAR_OK) status = nearfar_collective_plan_create(team, &call, &all, plan);
  }
  unpack(&from, out == NULL && status == NEARFAR_OK);
  unpack(&to, status == NEARFAR_OK);
  return status;
}
