// SPDX-License-Identifier: BSD-3-Clause
// The MPI's own functions and objects, looked up at run time: the preloaded library is not linked with any MPI.
#pragma once

#include <nearfar/mpi.hpp>
#include <real_mpi_list.hpp>
#include <string>

namespace nearfar::real {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/// real::MPI_Send and so on; null until find_all() has returned true.
#define NEARFAR_DECLARE(name) extern decltype(&::name) name;
NEARFAR_REAL_FUNCTIONS(NEARFAR_DECLARE)
#undef NEARFAR_DECLARE
#pragma GCC diagnostic pop

/// Addresses of Open MPI's predefined objects.
#define NEARFAR_DECLARE(name) extern void* name;
NEARFAR_REAL_OBJECTS(NEARFAR_DECLARE)
#undef NEARFAR_DECLARE

/// Fills all of the above: from the libraries that come after this one, or, where the MPI was loaded privately (as
/// Python does), from any library in the process that has it. A function that this MPI lacks ends the program with its
/// name when it is called. Local; may be called again after it failed.
/// @return "" when all is well; "none" when there is no MPI here (yet); else why the MPI found cannot be used
std::string find_all();

}  // namespace nearfar::real
