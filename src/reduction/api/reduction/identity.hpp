// SPDX-License-Identifier: BSD-3-Clause
// What an operation and a type are, as numbers that ranks can compare: handles differ between processes.
#pragma once

#include <cstdint>
#include <nearfar/mpi.hpp>
#include <string>

namespace nearfar::reduction {

/// The same on all ranks for each predefined operation; of a program's own it says whether they commute, and no more.
/// Local.
std::int64_t identity_of_operation(MPI_Op op);
/// "sum", "an operation of the program's own that commutes".
std::string name_of_operation(std::int64_t identity);
bool is_predefined(std::int64_t operation) noexcept;

/// The same on all ranks for types that reductions treat alike, as those of one number in C and in Fortran; 0 for types
/// that are not predefined. Local.
std::int64_t identity_of_type(MPI_Datatype type);
/// "64-bit floating-point numbers".
std::string name_of_type(std::int64_t identity);

}  // namespace nearfar::reduction
