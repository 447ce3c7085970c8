/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of index plans on Fortran arrays of any type and rank, by their C descriptors. */
#include <ISO_Fortran_binding.h>
#include <nearfar/nearfar.h>
#include <stdio.h>

nearfar_status nearfar_fortran_gather(nearfar_index_plan* plan, int kind, int op, int is_start, const CFI_cdesc_t* x,
                                      const CFI_cdesc_t* values);

enum { message_bytes = 400 };

/* 0 for types that are moved as they lie. */
static nearfar_type type_of(const CFI_cdesc_t* array) {
  switch (array->type) {
    case CFI_type_int32_t:
      return NEARFAR_INT32;
    case CFI_type_int64_t:
      return NEARFAR_INT64;
    case CFI_type_float:
      return NEARFAR_FLOAT32;
    case CFI_type_double:
      return NEARFAR_FLOAT64;
    case CFI_type_float_Complex:
      return NEARFAR_COMPLEX64;
    case CFI_type_double_Complex:
      return NEARFAR_COMPLEX128;
    default:
      return (nearfar_type)0;
  }
}

static int is_contiguous(const CFI_cdesc_t* array) {
  CFI_index_t next = (CFI_index_t)array->elem_len;
  for (int d = 0; d < array->rank; ++d) {
    if (array->dim[d].sm != next && array->dim[d].extent > 1) return 0;
    next *= array->dim[d].extent;
  }
  return 1;
}

/* The last dimension counts elements, those before it their components. */
static int read_array(const CFI_cdesc_t* array, const char* name, nearfar_gather_array* to, char* message) {
  if (array->rank == 0)
    snprintf(message, message_bytes, "'%s' is a scalar; it is an array of rank 1, or 2 with components first", name);
  else if (array->dim[array->rank - 1].extent < 0)
    snprintf(message, message_bytes, "'%s' has an assumed size; pass it with its shape", name);
  else if (!is_contiguous(array))
    snprintf(message, message_bytes, "'%s' must be contiguous: a section has been given", name);
  else
    message[0] = '\0';
  if (message[0] != '\0') return 0;
  int64_t components = 1;
  for (int d = 0; d < array->rank - 1; ++d) components *= array->dim[d].extent;
  *to = (nearfar_gather_array){array->base_addr, array->base_addr ? array->dim[array->rank - 1].extent : 0,
                               (int)components, type_of(array), array->elem_len};
  return 1;
}

static int read_both(const CFI_cdesc_t* x, const CFI_cdesc_t* values, nearfar_gather_array* to, char* message) {
  if (x && !read_array(x, "x", &to[0], message)) return 0;
  if (values && !read_array(values, "the values of references", &to[1], message)) return 0;
  if (x && values && x->type != values->type) {
    snprintf(message, message_bytes, "x and the values of references are of different types");
    return 0;
  }
  return 1;
}

nearfar_status nearfar_fortran_gather(nearfar_index_plan* plan, int kind, int op, int is_start, const CFI_cdesc_t* x,
                                      const CFI_cdesc_t* values) {
  char message[message_bytes];
  nearfar_gather_array arrays[2];
  if (!read_both(x, values, arrays, message)) return nearfar_refuse(message);
  const nearfar_gather_call call = {(nearfar_gather_kind)kind, (nearfar_scatter_op)op, NULL, 1, &arrays[0], &arrays[1]};
  return is_start ? nearfar_index_plan_start(plan, &call) : nearfar_index_plan_run(plan, &call);
}
