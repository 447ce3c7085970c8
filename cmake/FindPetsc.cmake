# SPDX-License-Identifier: BSD-3-Clause
# PETSc, a peer of the gather benchmark, from its pkg-config file or under Petsc_ROOT; only if it was built for the MPI
# in use. Sets
# Petsc_FOUND and the target Petsc::petsc.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_PETSC QUIET PETSc)
endif()
find_path(PETSC_INCLUDE_DIR petscsf.h HINTS ${PC_PETSC_INCLUDE_DIRS} PATH_SUFFIXES petsc)
find_library(PETSC_LIBRARY NAMES petsc_real petsc HINTS ${PC_PETSC_LIBRARY_DIRS})
mark_as_advanced(PETSC_INCLUDE_DIR PETSC_LIBRARY)
if(PETSC_INCLUDE_DIR AND PETSC_LIBRARY)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${PETSC_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  set(CMAKE_REQUIRED_FLAGS -w)
  # Its headers compare the MPI that they were made with to the one that they meet.
  check_cxx_source_compiles("#include <petscsf.h>\nint main() { return 0; }" PETSC_FITS_MPI)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_FLAGS)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Petsc REQUIRED_VARS PETSC_LIBRARY PETSC_INCLUDE_DIR PETSC_FITS_MPI)
if(Petsc_FOUND AND NOT TARGET Petsc::petsc)
  add_library(Petsc::petsc UNKNOWN IMPORTED)
  set_target_properties(Petsc::petsc PROPERTIES IMPORTED_LOCATION ${PETSC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${PETSC_INCLUDE_DIR})
endif()
