/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes (shapes.hpp) for tests in C and Fortran: a loop runs once in each shape that the calling rank has a part in.
 */
#ifndef NEARFAR_TEST_SHAPES_H
#define NEARFAR_TEST_SHAPES_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the present shape, if there is one, and starts the next, while ranks without a part sleep. Returns 0 when there
   is none left. Collective over MPI_COMM_WORLD. NEARFAR_TEST_SHAPES names the shapes ("np1,np3.node2"); the default is
   all. */
int nearfar_test_next_shape(MPI_Comm* members);
int nearfar_test_next_shape_fint(MPI_Fint* members);

#ifdef __cplusplus
}
#endif

#endif
