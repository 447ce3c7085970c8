/* SPDX-License-Identifier: BSD-3-Clause */
/* What an array is by its descriptor: type, elements, whether they lie one after the other, whether it looks as it
 * must. */
#include "arrays.h"

int64_t nearfar_fortran_elements_of(const CFI_cdesc_t* array) {
  int64_t all = 1;
  for (int d = 0; d < array->rank; ++d) all *= array->dim[d].extent > 0 ? array->dim[d].extent : 0;
  return all;
}

int nearfar_fortran_is_contiguous(const CFI_cdesc_t* array) {
  CFI_index_t next = (CFI_index_t)array->elem_len;
  for (int d = 0; d < array->rank; ++d) {
    if (array->dim[d].sm != next && array->dim[d].extent > 1) return 0;
    next *= array->dim[d].extent;
  }
  return 1;
}

int nearfar_fortran_type_of(const CFI_cdesc_t* array) {
  static const struct {
    CFI_type_t fortran;
    size_t bytes;
    int ours;
  } known[] = {{CFI_type_int8_t, 1, NEARFAR_ELEMENT_INT8},
               {CFI_type_int16_t, 2, NEARFAR_ELEMENT_INT16},
               {CFI_type_int32_t, 4, NEARFAR_ELEMENT_INT32},
               {CFI_type_int64_t, 8, NEARFAR_ELEMENT_INT64},
               {CFI_type_float, 4, NEARFAR_ELEMENT_FLOAT32},
               {CFI_type_double, 8, NEARFAR_ELEMENT_FLOAT64},
               {CFI_type_float_Complex, 8, NEARFAR_ELEMENT_COMPLEX64},
               {CFI_type_double_Complex, 16, NEARFAR_ELEMENT_COMPLEX128}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (array->type == known[i].fortran && array->elem_len == known[i].bytes) return known[i].ours;
  return 0;
}

const char* nearfar_fortran_elements_in_words(const CFI_cdesc_t* array) {
  static const char* const words[] = {"",        "int8",    "int16",     "int32",     "int64",
                                      "float32", "float64", "complex64", "complex128"};
  return words[nearfar_fortran_type_of(array)];
}

int nearfar_fortran_is_whole(const CFI_cdesc_t* array, const char* name, char* message) {
  message[0] = '\0';
  if (array->rank == 0)
    snprintf(message, message_bytes, "'%s' is a scalar; it is an array", name);
  else if (array->dim[array->rank - 1].extent < 0)
    snprintf(message, message_bytes, "'%s' has an assumed size; pass it with its shape", name);
  else if (!nearfar_fortran_is_contiguous(array))
    snprintf(message, message_bytes, "'%s' must be contiguous: a section has been given", name);
  return message[0] == '\0';
}

/* A flat array may serve any side for which it is long enough. */
static int is_shaped(const CFI_cdesc_t* array, const nearfar_expected_array* want, const char* name, char* message) {
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

int nearfar_fortran_read(const CFI_cdesc_t* array, const nearfar_expected_array* want, size_t element_bytes,
                         const char* name, void** address, char* message) {
  *address = NULL;
  if (want->elements == 0) return 1;
  if (array->base_addr == NULL)
    snprintf(message, message_bytes, "'%s' is not allocated or associated", name);
  else if (!nearfar_fortran_is_whole(array, name, message))
    return 0;
  else if (array->elem_len != element_bytes)
    snprintf(message, message_bytes, "'%s' has elements of %zu bytes, the plan of %zu", name, array->elem_len,
             element_bytes);
  else if (is_shaped(array, want, name, message))
    *address = array->base_addr;
  return *address != NULL;
}
