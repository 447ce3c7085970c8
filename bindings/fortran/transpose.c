/* SPDX-License-Identifier: BSD-3-Clause */
/* Transpositions of Fortran arrays of any type and rank, by their C descriptors. */
#include "arrays.h"

nearfar_status nearfar_fortran_find_array(const nearfar_team* team, const CFI_cdesc_t* array,
                                          nearfar_transpose_array** handle) {
  return nearfar_team_find_array(team, array->base_addr, handle);
}

nearfar_status nearfar_fortran_transpose_create(const nearfar_transpose_side* from, const nearfar_transpose_side* to,
                                                const nearfar_expected_array* expect_from,
                                                const nearfar_expected_array* expect_to, CFI_cdesc_t* in,
                                                CFI_cdesc_t* out, const nearfar_transpose_options* options,
                                                size_t* element_bytes, nearfar_transpose_plan** plan) {
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
  if (out == NULL) out = in;
  nearfar_transpose_options with_type = *options;
  with_type.type_name = nearfar_fortran_elements_in_words(in);
  return nearfar_transpose_plan_create(from, to, in->elem_len, source, nearfar_fortran_elements_of(in), target,
                                       nearfar_fortran_elements_of(out), &with_type, plan);
}

nearfar_status nearfar_fortran_transpose_start(nearfar_transpose_plan* plan, const nearfar_expected_array* expect_from,
                                               const nearfar_expected_array* expect_to, size_t element_bytes,
                                               CFI_cdesc_t* in, CFI_cdesc_t* out) {
  char message[message_bytes] = "";
  void *source = NULL, *target = NULL;
  if (plan == NULL || (in == NULL && out == NULL)) return nearfar_transpose_plan_start(plan);
  if (in == NULL) return nearfar_refuse("'out' is given without 'in'");
  const char* name = out ? "out" : "in";
  if (out == NULL) out = in;
  if (!nearfar_fortran_read(in, expect_from, element_bytes, "in", &source, message) ||
      !nearfar_fortran_read(out, expect_to, element_bytes, name, &target, message))
    return nearfar_refuse(message);
  return nearfar_transpose_plan_start_on(plan, source, nearfar_fortran_elements_of(in), target,
                                         nearfar_fortran_elements_of(out));
}
