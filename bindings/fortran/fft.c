/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of Fortran arrays of any rank, by their C descriptors: precision and addresses. */
#include <stdio.h>

#include "expected_array.h"

nearfar_status nearfar_fortran_fft_create(const nearfar_fft_layout* layout, const expected_array* expect_physical,
                                          const expected_array* expect_spectral, const CFI_cdesc_t* physical,
                                          const CFI_cdesc_t* spectral, const nearfar_fft_options* options,
                                          int* precision, nearfar_fft** plan);
nearfar_status nearfar_fortran_fft_start(nearfar_fft* plan, int is_backward, int precision,
                                         const expected_array* expect_physical, int physical_parts,
                                         const expected_array* expect_spectral, int spectral_parts,
                                         const CFI_cdesc_t* physical, const CFI_cdesc_t* spectral);

/* 0 for elements that are neither real nor complex, of 4 or 8 bytes a number. */
static int precision_of(const CFI_cdesc_t* array, int* parts) {
  *parts = array->type == CFI_type_float_Complex || array->type == CFI_type_double_Complex ? 2 : 1;
  if (array->type == CFI_type_float || array->type == CFI_type_float_Complex) return NEARFAR_FLOAT32;
  if (array->type == CFI_type_double || array->type == CFI_type_double_Complex) return NEARFAR_FLOAT64;
  return 0;
}

static int is_kind(const CFI_cdesc_t* array, int precision, int parts, const char* name, char* message) {
  int found = 0;
  if (precision_of(array, &found) == precision && found == parts) return 1;
  snprintf(message, message_bytes, "'%s' must be %s(real%d) here", name, parts == 2 ? "complex" : "real",
           precision == NEARFAR_FLOAT32 ? 32 : 64);
  return 0;
}

enum { most_fields = 64 };

/* One address per field: they lie one after the other. */
static int read_fields(const CFI_cdesc_t* array, const expected_array* want, const char* name, void** fields,
                       char* message) {
  void* first = NULL;
  if (want->fields < 1 || want->fields > most_fields)
    snprintf(message, message_bytes, "a plan has 1 to %d fields, not %lld", most_fields, (long long)want->fields);
  else if (nearfar_fortran_read(array, want, array->elem_len, name, &first, message)) {
    for (int64_t f = 0; f < want->fields; ++f)
      fields[f] = first ? (char*)first + f * want->elements * (int64_t)array->elem_len : NULL;
    return 1;
  }
  return 0;
}

typedef struct both_sides {
  int physical_parts, spectral_parts;
  const expected_array *expect_physical, *expect_spectral;
  const CFI_cdesc_t *physical, *spectral;
  void *physical_fields[most_fields], *spectral_fields[most_fields];
} both_sides;

static int read_both(int precision, both_sides* b, char* message) {
  return is_kind(b->physical, precision, b->physical_parts, "physical", message) &&
         is_kind(b->spectral, precision, b->spectral_parts, "spectral", message) &&
         read_fields(b->physical, b->expect_physical, "physical", b->physical_fields, message) &&
         read_fields(b->spectral, b->expect_spectral, "spectral", b->spectral_fields, message);
}

nearfar_status nearfar_fortran_fft_create(const nearfar_fft_layout* layout, const expected_array* expect_physical,
                                          const expected_array* expect_spectral, const CFI_cdesc_t* physical,
                                          const CFI_cdesc_t* spectral, const nearfar_fft_options* options,
                                          int* precision, nearfar_fft** plan) {
  char message[message_bytes] = "";
  int parts = 0;
  both_sides b = {.physical_parts = 1 + nearfar_fft_layout_is_physical_complex(layout),
                  .spectral_parts = 1 + nearfar_fft_layout_is_spectral_complex(layout),
                  .expect_physical = expect_physical,
                  .expect_spectral = expect_spectral,
                  .physical = physical,
                  .spectral = spectral};
  nearfar_team* team = nearfar_fft_layout_team(layout);
  *plan = NULL;
  *precision = precision_of(physical, &parts);
  if (team == NULL) return NEARFAR_USAGE_ERROR;
  if (*precision == 0)
    snprintf(message, message_bytes, "'physical' must be real or complex, of kind real32 or real64");
  else
    (void)read_both(*precision, &b, message);
  const nearfar_status status = nearfar_agree(team, message);
  if (status != NEARFAR_OK) return status;
  return nearfar_fft_create_each(layout, (nearfar_type)*precision, expect_physical->fields, b.physical_fields,
                                 expect_spectral->fields, b.spectral_fields, options, plan);
}

nearfar_status nearfar_fortran_fft_start(nearfar_fft* plan, int is_backward, int precision,
                                         const expected_array* expect_physical, int physical_parts,
                                         const expected_array* expect_spectral, int spectral_parts,
                                         const CFI_cdesc_t* physical, const CFI_cdesc_t* spectral) {
  char message[message_bytes] = "";
  both_sides b = {.physical_parts = physical_parts,
                  .spectral_parts = spectral_parts,
                  .expect_physical = expect_physical,
                  .expect_spectral = expect_spectral,
                  .physical = physical,
                  .spectral = spectral};
  if (plan != NULL && !read_both(precision, &b, message)) return nearfar_refuse(message);
  return is_backward ? nearfar_fft_start_backward_each(plan, (const void* const*)b.spectral_fields, b.physical_fields)
                     : nearfar_fft_start_forward_each(plan, (const void* const*)b.physical_fields, b.spectral_fields);
}
