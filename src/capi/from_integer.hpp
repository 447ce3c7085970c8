// SPDX-License-Identifier: BSD-3-Clause
// Handles from the integers by which other languages pass them: Fortran's, or those of the standard ABI of MPI.
#pragma once

#include <nearfar/mpi.hpp>
#include <topology/team_state.hpp>

namespace nearfar::capi {

/// The null handle before MPI_Init and after MPI_Finalize, where the MPI ends a process that converts any: what the
/// handle is for says so.
#ifdef MPI_ABI_VERSION
inline MPI_Comm comm_from(MPI_Fint of) { return is_mpi_usable() ? MPI_Comm_fromint(of) : MPI_COMM_NULL; }
inline MPI_Datatype type_from(MPI_Fint of) { return is_mpi_usable() ? MPI_Type_fromint(of) : MPI_DATATYPE_NULL; }
inline MPI_Op op_from(MPI_Fint of) { return is_mpi_usable() ? MPI_Op_fromint(of) : MPI_OP_NULL; }
#else
inline MPI_Comm comm_from(MPI_Fint of) { return is_mpi_usable() ? MPI_Comm_f2c(of) : MPI_COMM_NULL; }
inline MPI_Datatype type_from(MPI_Fint of) { return is_mpi_usable() ? MPI_Type_f2c(of) : MPI_DATATYPE_NULL; }
inline MPI_Op op_from(MPI_Fint of) { return is_mpi_usable() ? MPI_Op_f2c(of) : MPI_OP_NULL; }
#endif

}  // namespace nearfar::capi
