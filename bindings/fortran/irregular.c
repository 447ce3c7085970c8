/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of irregular plans on Fortran arrays of any type and rank, by their C descriptors. */
#include "arrays.h"

/* 0 for types that are moved as they lie. */
static nearfar_element_type combined_type_of(const CFI_cdesc_t* array) {
  const int type = nearfar_fortran_type_of(array);
  return (nearfar_element_type)(type == NEARFAR_ELEMENT_INT8 || type == NEARFAR_ELEMENT_INT16 ? 0 : type);
}

/* For messages. */
static const char* type_in_words(const CFI_cdesc_t* array) {
  const char* words = nearfar_fortran_elements_in_words(array);
  return *words ? words : "another type";
}

/* The last dimension counts elements, those before it their components. */
static int read_array(const CFI_cdesc_t* array, const char* name, nearfar_irregular_array* to, char* message) {
  if (!nearfar_fortran_is_whole(array, name, message)) return 0;
  int64_t components = 1;
  for (int d = 0; d < array->rank - 1; ++d) components *= array->dim[d].extent;
  *to = (nearfar_irregular_array){array->base_addr, array->base_addr ? array->dim[array->rank - 1].extent : 0,
                                  (int)components,  combined_type_of(array),
                                  array->elem_len,  0};
  return 1;
}

static int read_both(const CFI_cdesc_t* x, const CFI_cdesc_t* values, nearfar_irregular_array* to, char* message) {
  if (x && !read_array(x, "x", &to[0], message)) return 0;
  if (values && !read_array(values, "the values of references", &to[1], message)) return 0;
  if (x && values && x->type != values->type) {
    snprintf(message, message_bytes, "x is of %s, the values of references are of %s; both are of one type",
             type_in_words(x), type_in_words(values));
    return 0;
  }
  return 1;
}

nearfar_status nearfar_fortran_irregular(nearfar_irregular_plan* plan, nearfar_irregular_kind kind,
                                         nearfar_reduce_op op, int is_start, int is_x_const, CFI_cdesc_t* x,
                                         CFI_cdesc_t* values) {
  char message[message_bytes];
  nearfar_irregular_array arrays[2];
  if (!read_both(x, values, arrays, message)) return nearfar_refuse(message);
  arrays[0].is_const = is_x_const;
  const nearfar_irregular_call call = {kind, op, NULL, 1, &arrays[0], &arrays[1]};
  return is_start ? nearfar_irregular_plan_start(plan, &call) : nearfar_irregular_plan_run(plan, &call);
}
