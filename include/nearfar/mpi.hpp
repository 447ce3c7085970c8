// SPDX-License-Identifier: BSD-3-Clause
// The only way this library includes <mpi.h>: without the long-removed C++ bindings, and of no other MPI than its own.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <nearfar/built_with.h>  // looks at what <mpi.h> defines
