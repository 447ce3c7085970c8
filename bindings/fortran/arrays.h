/* SPDX-License-Identifier: BSD-3-Clause */
/* What the C files of the Fortran interface ask of an array. */
#ifndef NEARFAR_ARRAYS_H
#define NEARFAR_ARRAYS_H

#include <stdio.h>

#include "descriptors.h"

enum { message_bytes = 400 };

int64_t nearfar_fortran_elements_of(const CFI_cdesc_t* array);
int nearfar_fortran_is_contiguous(const CFI_cdesc_t* array);

/* What the elements are, in NumPy's words, as Python's plans have them; "" for other types. */
const char* nearfar_fortran_elements_in_words(const CFI_cdesc_t* array);

/* 0 and a message if `array` is not there, a scalar, without its shape, or a section. */
int nearfar_fortran_is_whole(const CFI_cdesc_t* array, const char* name, char* message);

/* The address of an array that looks as it must, NULL for a rank that owns nothing; 0 and a message if it does not. */
int nearfar_fortran_read(const CFI_cdesc_t* array, const nearfar_expected_array* want, size_t element_bytes,
                         const char* name, void** address, char* message);

#endif
