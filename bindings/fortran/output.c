/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of Fortran arrays of any type and rank, and reading into them, by their C descriptors. */
#include "arrays.h"

static int has_elements(const nearfar_output_shape* want) {
  for (int d = 0; d < want->dimensions; ++d)
    if (want->own[d] <= 0) return 0;
  return 1;
}

/* The extents are those of the own part, or, with `ghosts` times the ghost cells, of both. */
static int is_shaped(const CFI_cdesc_t* array, const nearfar_output_shape* want, int ghosts) {
  for (int d = 0; d < want->dimensions; ++d)
    if (array->dim[d].extent != want->own[d] + ghosts * (want->low[d] + want->high[d])) return 0;
  return 1;
}

static nearfar_status refuse_shape(const CFI_cdesc_t* array, const nearfar_output_shape* want, const char* name) {
  char message[message_bytes];
  int length = snprintf(message, message_bytes, "'%s' has shape (", name);
  for (int d = 0; d < array->rank && length < message_bytes; ++d)
    length += snprintf(message + length, (size_t)(message_bytes - length), "%s%lld", d ? "," : "",
                       (long long)array->dim[d].extent);
  for (int ghosts = 0; ghosts < 2; ++ghosts) {
    if (length < message_bytes)
      length += snprintf(message + length, (size_t)(message_bytes - length), "%s",
                         ghosts ? ") or, with its ghost cells, (" : "); this rank's part has (");
    for (int d = 0; d < want->dimensions && length < message_bytes; ++d)
      length += snprintf(message + length, (size_t)(message_bytes - length), "%s%lld", d ? "," : "",
                         (long long)(want->own[d] + ghosts * (want->low[d] + want->high[d])));
  }
  if (length < message_bytes) snprintf(message + length, (size_t)(message_bytes - length), ")");
  return nearfar_refuse(message);
}

/* Where the first element of this rank's part is in an array that fits, and the distances between neighbours,
 * slowest first. */
static nearfar_status find_part(const char* name, const nearfar_output_shape* want, const CFI_cdesc_t* array,
                                char** first, int64_t* strides) {
  char message[message_bytes] = "";
  if (array->base_addr == NULL)
    snprintf(message, message_bytes, "'%s' is not allocated or associated", name);
  else if (array->rank != want->dimensions)
    snprintf(message, message_bytes, "'%s' has rank %d; it was added with %d dimensions", name, array->rank,
             want->dimensions);
  else if (array->dim[array->rank - 1].extent < 0)
    snprintf(message, message_bytes, "'%s' has an assumed size; pass it with its shape", name);
  else if (nearfar_fortran_type_of(array) != want->type)
    snprintf(message, message_bytes, "'%s' has another type or kind than it was added with", name);
  if (*message) return nearfar_refuse(message);

  const int ghosts = !is_shaped(array, want, 0);
  if (ghosts && !is_shaped(array, want, 1)) return refuse_shape(array, want, name);
  *first = array->base_addr;
  for (int d = 0; d < want->dimensions; ++d) {
    strides[want->dimensions - 1 - d] = array->dim[d].sm;
    *first += ghosts * want->low[d] * array->dim[d].sm;
  }
  return NEARFAR_OK;
}

nearfar_status nearfar_fortran_output_put(nearfar_output* stream, const char* name, const nearfar_output_shape* want,
                                          const CFI_cdesc_t* array) {
  char* first = NULL;
  int64_t strides[NEARFAR_MAX_DIMENSIONS] = {0};
  if (!has_elements(want)) return nearfar_output_put(stream, name, NULL);
  const nearfar_status status = find_part(name, want, array, &first, strides);
  return status == NEARFAR_OK ? nearfar_output_put_strided(stream, name, first, strides) : status;
}

nearfar_status nearfar_fortran_output_get(nearfar_output_reader* reader, const char* name,
                                          const nearfar_output_shape* want, CFI_cdesc_t* array) {
  char* first = NULL;
  int64_t strides[NEARFAR_MAX_DIMENSIONS] = {0};
  if (!has_elements(want)) return nearfar_output_reader_get(reader, name, NULL);
  const nearfar_status status = find_part(name, want, array, &first, strides);
  return status == NEARFAR_OK ? nearfar_output_reader_get_strided(reader, name, first, strides) : status;
}
