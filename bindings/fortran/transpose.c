/* SPDX-License-Identifier: BSD-3-Clause */
/* Transpositions of Fortran arrays of any type and rank, by their C descriptors. */
#include <stdio.h>

#include "expected_array.h"

nearfar_status nearfar_fortran_find_array(const nearfar_team* team, const CFI_cdesc_t* array,
                                          nearfar_transpose_array** handle);
nearfar_status nearfar_fortran_transpose_create(const nearfar_transpose_side* from, const nearfar_transpose_side* to,
                                                const expected_array* expect_from, const expected_array* expect_to,
                                                const CFI_cdesc_t* in, const CFI_cdesc_t* out,
                                                const nearfar_transpose_options* options, size_t* element_bytes,
                                                nearfar_transpose** plan);
nearfar_status nearfar_fortran_transpose_start(nearfar_transpose* plan, const expected_array* expect_from,
                                               const expected_array* expect_to, size_t element_bytes,
                                               const CFI_cdesc_t* in, const CFI_cdesc_t* out);

nearfar_status nearfar_fortran_find_array(const nearfar_team* team, const CFI_cdesc_t* array,
                                          nearfar_transpose_array** handle) {
  return nearfar_team_find_array(team, array->base_addr, handle);
}

static int is_contiguous(const CFI_cdesc_t* array) {
  CFI_index_t next = (CFI_index_t)array->elem_len;
  for (int d = 0; d < array->rank; ++d) {
    if (array->dim[d].sm != next && array->dim[d].extent > 1) return 0;
    next *= array->dim[d].extent;
  }
  return 1;
}

/* A flat array may serve any side for which it is long enough. */
static int is_shaped(const CFI_cdesc_t* array, const expected_array* want, const char* name, char* message) {
  const int rank = want->dimensions + (want->fields > 1);
  if (array->rank == 1 && rank > 1) {
    if (array->dim[0].extent >= want->elements * want->fields) return 1;
    snprintf(message, message_bytes, "'%s' has %lld elements; this side needs %lld", name,
             (long long)array->dim[0].extent, (long long)(want->elements * want->fields));
    return 0;
  }
  if (array->rank != rank) {
    snprintf(message, message_bytes, "'%s' has rank %d; it has %d axes%s, or rank 1", name, array->rank,
             want->dimensions, want->fields > 1 ? " and, last, the fields" : "");
    return 0;
  }
  for (int d = 0; d < rank; ++d) {
    const int64_t extent = d < want->dimensions ? want->extents[d] : want->fields;
    if (array->dim[d].extent == extent) continue;
    snprintf(message, message_bytes, "dimension %d of '%s' has %lld elements; on this side it has %lld", d + 1, name,
             (long long)array->dim[d].extent, (long long)extent);
    return 0;
  }
  return 1;
}

int nearfar_fortran_read(const CFI_cdesc_t* array, const expected_array* want, size_t element_bytes, const char* name,
                         void** address, char* message) {
  *address = NULL;
  if (want->elements == 0) return 1;
  if (array->base_addr == NULL)
    snprintf(message, message_bytes, "'%s' is not allocated or associated", name);
  else if (array->rank == 0)
    snprintf(message, message_bytes, "'%s' is a scalar", name);
  else if (array->dim[array->rank - 1].extent < 0)
    snprintf(message, message_bytes, "'%s' has an assumed size; pass it with its shape", name);
  else if (!is_contiguous(array))
    snprintf(message, message_bytes, "'%s' must be contiguous: a section has been given", name);
  else if (array->elem_len != element_bytes)
    snprintf(message, message_bytes, "'%s' has elements of %zu bytes, the plan of %zu", name, array->elem_len,
             element_bytes);
  else if (is_shaped(array, want, name, message))
    *address = array->base_addr;
  return *address != NULL;
}

nearfar_status nearfar_fortran_transpose_create(const nearfar_transpose_side* from, const nearfar_transpose_side* to,
                                                const expected_array* expect_from, const expected_array* expect_to,
                                                const CFI_cdesc_t* in, const CFI_cdesc_t* out,
                                                const nearfar_transpose_options* options, size_t* element_bytes,
                                                nearfar_transpose** plan) {
  char message[message_bytes] = "";
  void *source = NULL, *target = NULL;
  nearfar_team* team = nearfar_decomposition_team(from->parts);
  *plan = NULL;
  *element_bytes = in->elem_len;
  if (team == NULL) return NEARFAR_USAGE_ERROR;
  (void)(nearfar_fortran_read(in, expect_from, in->elem_len, "in", &source, message) &&
         nearfar_fortran_read(out ? out : in, expect_to, in->elem_len, out ? "out" : "in", &target, message));
  const nearfar_status status = nearfar_agree(team, message);
  if (status != NEARFAR_OK) return status;
  return nearfar_transpose_create(from, to, in->elem_len, source, target, options, plan);
}

nearfar_status nearfar_fortran_transpose_start(nearfar_transpose* plan, const expected_array* expect_from,
                                               const expected_array* expect_to, size_t element_bytes,
                                               const CFI_cdesc_t* in, const CFI_cdesc_t* out) {
  char message[message_bytes] = "";
  void *source = NULL, *target = NULL;
  if (!nearfar_fortran_read(in, expect_from, element_bytes, "in", &source, message) ||
      !nearfar_fortran_read(out ? out : in, expect_to, element_bytes, out ? "out" : "in", &target, message))
    return nearfar_refuse(message);
  return nearfar_transpose_start(plan, source, target);
}
