/* SPDX-License-Identifier: BSD-3-Clause */
/* What an array of a transposition or transform must look like (nearfar_transposes_c.f90), and whether one does. */
#ifndef NEARFAR_EXPECTED_ARRAY_H
#define NEARFAR_EXPECTED_ARRAY_H

#include <ISO_Fortran_binding.h>
#include <nearfar/nearfar.h>

enum { message_bytes = 400 };

typedef struct expected_array {
  int dimensions;
  int64_t extents[NEARFAR_MAX_DIMENSIONS]; /* as the array has them, fastest first */
  int64_t elements, fields;
} expected_array;

/* The address of an array that looks as it must, NULL for a rank that owns nothing; 0 and a message if it does not. */
int nearfar_fortran_read(const CFI_cdesc_t* array, const expected_array* want, size_t element_bytes, const char* name,
                         void** address, char* message);

#endif
