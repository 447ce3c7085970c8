// SPDX-License-Identifier: BSD-3-Clause
// Handles from the integers by which other languages pass them: Fortran's, or those of the standard ABI of MPI.
#pragma once

#include <nearfar/mpi.hpp>

namespace nearfar::capi {

#ifdef MPI_ABI_VERSION
inline MPI_Comm comm_from(MPI_Fint of) { return MPI_Comm_fromint(of); }
inline MPI_Datatype type_from(MPI_Fint of) { return MPI_Type_fromint(of); }
inline MPI_Op op_from(MPI_Fint of) { return MPI_Op_fromint(of); }
#else
inline MPI_Comm comm_from(MPI_Fint of) { return MPI_Comm_f2c(of); }
inline MPI_Datatype type_from(MPI_Fint of) { return MPI_Type_f2c(of); }
inline MPI_Op op_from(MPI_Fint of) { return MPI_Op_f2c(of); }
#endif

}  // namespace nearfar::capi
