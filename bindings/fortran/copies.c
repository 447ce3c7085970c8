/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether an array is a copy that the compiler made for a call. gfortran copies components of arrays of derived
 * type (cells%pressure), pointers to such, and expressions into a temporary array that lives as long as the call,
 * even where the dummy argument takes strides: a plan must not keep its address. In gfortran's own descriptors
 * these alone have the lower bound 0; all else has 1 in arguments of assumed rank. Descriptors of C
 * (ISO_Fortran_binding.h) do not tell, so this is called without bind(C), with gfortran's. Other compilers make no
 * such copies. */
#include <stddef.h>

int nearfar_fortran_is_copy_(const void* array);

#ifdef NEARFAR_GFORTRAN
/* As in libgfortran since GCC 9. */
typedef struct descriptor {
  void* address;
  size_t offset, element_bytes;
  int version;
  signed char rank, type;
  short attribute;
  ptrdiff_t span;
  struct {
    ptrdiff_t stride, lower, upper;
  } dimensions[];
} descriptor;

int nearfar_fortran_is_copy_(const void* array) {
  const descriptor* d = array;
  for (int i = 0; i < d->rank; ++i)
    if (d->dimensions[i].lower != 1) return 1;
  return 0;
}
#else
int nearfar_fortran_is_copy_(const void* array) {
  (void)array;
  return 0;
}
#endif
