/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of Fortran arrays of any rank, by their C descriptors: precision and addresses. */
#include "arrays.h"

enum { most_fields = 64 };

/* 0 for elements that are neither real nor complex, of 4 or 8 bytes a number. */
static int precision_of(const CFI_cdesc_t* array, int* parts) {
  *parts = array->type == CFI_type_float_Complex || array->type == CFI_type_double_Complex ? 2 : 1;
  if (array->type == CFI_type_float || array->type == CFI_type_float_Complex) return NEARFAR_ELEMENT_FLOAT32;
  if (array->type == CFI_type_double || array->type == CFI_type_double_Complex) return NEARFAR_ELEMENT_FLOAT64;
  return 0;
}

static int is_kind(const CFI_cdesc_t* array, int precision, int parts, const char* name, char* message) {
  int found = 0;
  if (precision_of(array, &found) == precision && found == parts) return 1;
  snprintf(message, message_bytes, "'%s' must be %s(real%d) here", name, parts == 2 ? "complex" : "real",
           precision == NEARFAR_ELEMENT_FLOAT32 ? 32 : 64);
  return 0;
}

typedef struct one_side {
  const char* name;
  const CFI_cdesc_t* array;
  const nearfar_expected_array* expect;
  int parts;
  void* fields[most_fields]; /* they lie one after the other */
  int64_t elements[most_fields];
} one_side;

static int read_side(int precision, one_side* s, char* message) {
  void* first = NULL;
  if (!is_kind(s->array, precision, s->parts, s->name, message)) return 0;
  if (s->expect->fields < 1 || s->expect->fields > most_fields) {
    snprintf(message, message_bytes, "a plan has 1 to %d fields, not %lld", most_fields, (long long)s->expect->fields);
    return 0;
  }
  if (!nearfar_fortran_read(s->array, s->expect, s->array->elem_len, s->name, &first, message)) return 0;
  for (int64_t f = 0; f < s->expect->fields; ++f) {
    s->elements[f] = s->expect->elements;
    s->fields[f] = first ? (char*)first + f * s->expect->elements * (int64_t)s->array->elem_len : NULL;
  }
  return 1;
}

nearfar_status nearfar_fortran_fft_create(const nearfar_fft_layout* layout,
                                          const nearfar_expected_array* expect_physical,
                                          const nearfar_expected_array* expect_spectral, CFI_cdesc_t* physical,
                                          CFI_cdesc_t* spectral, const nearfar_fft_options* options, int* precision,
                                          nearfar_fft_plan** plan) {
  char message[message_bytes] = "";
  int parts = 0;
  one_side p = {"physical", physical, expect_physical, 1 + nearfar_fft_layout_is_physical_complex(layout), {0}, {0}};
  one_side s = {"spectral", spectral, expect_spectral, 1 + nearfar_fft_layout_is_spectral_complex(layout), {0}, {0}};
  nearfar_team* team = nearfar_fft_layout_team(layout);
  *plan = NULL;
  *precision = precision_of(physical, &parts);
  if (team == NULL) return NEARFAR_USAGE_ERROR;
  if (*precision == 0)
    snprintf(message, message_bytes, "'physical' must be real or complex, of kind real32 or real64");
  else
    (void)(read_side(*precision, &p, message) && read_side(*precision, &s, message));
  const nearfar_status status = nearfar_agree(team, message);
  if (status != NEARFAR_OK) return status;
  return nearfar_fft_plan_create_each(layout, (nearfar_element_type)*precision, expect_physical->fields, p.fields,
                                      p.elements, expect_spectral->fields, s.fields, s.elements, options, plan);
}

nearfar_status nearfar_fortran_fft_start(nearfar_fft_plan* plan, nearfar_fft_direction direction, int precision,
                                         const nearfar_expected_array* expect_in, int in_parts,
                                         const nearfar_expected_array* expect_out, int out_parts, const CFI_cdesc_t* in,
                                         CFI_cdesc_t* out) {
  char message[message_bytes] = "";
  if (plan == NULL || (in == NULL && out == NULL)) return nearfar_fft_plan_start(plan, direction);
  if (in == NULL || out == NULL) return nearfar_refuse("one array is given; give both, or none for the plan's own");
  const int is_backward = direction == NEARFAR_FFT_BACKWARD;
  one_side from = {is_backward ? "spectral" : "physical", in, expect_in, in_parts, {0}, {0}};
  one_side to = {is_backward ? "physical" : "spectral", out, expect_out, out_parts, {0}, {0}};
  if (!read_side(precision, &from, message) || !read_side(precision, &to, message)) return nearfar_refuse(message);
  return nearfar_fft_plan_start_on_each(plan, direction, (const void* const*)from.fields, from.elements, to.fields,
                                        to.elements);
}
