# SPDX-License-Identifier: BSD-3-Clause
# nearfar_mpi_name(): which MPI the compiler meets. Used by Nearfar's own build and, installed, by projects that look
# for Nearfar.

# nearfar_mpi_name(VAR LANGUAGE): sets VAR to what the <mpi.h> or the module mpi of MPI::MPI_<LANGUAGE> says that it is,
# such as "Open MPI 4.1.4", "MPICH 4.0.2" or "the standard ABI of MPI 5.0", for Fortran without a version; to "an
# unknown MPI" where it does not compile. Asked anew when MPI or compiler change.
function(nearfar_mpi_name var language)
  get_target_property(includes MPI::MPI_${language} INTERFACE_INCLUDE_DIRECTORIES)
  set(asked "${CMAKE_${language}_COMPILER} ${includes}")
  if(NOT "${NEARFAR_MPI_ASKED_${language}}" STREQUAL asked)
    set(NEARFAR_MPI_ASKED_${language} "${asked}" CACHE INTERNAL "")
    set(name "an unknown MPI")
    if(language STREQUAL "Fortran")
      nearfar_mpi_compiles(is_open_mpi output f90
        "subroutine s(i)\nuse mpi\nimplicit none\ninteger :: i\ni = OMPI_MAJOR_VERSION\nend subroutine\n")
      nearfar_mpi_compiles(is_mpi output f90 "subroutine s(i)\nuse mpi\nimplicit none\ninteger :: i\ni = MPI_SUCCESS\nend subroutine\n")
      if(is_open_mpi)
        set(name "Open MPI")
      elseif(is_mpi)
        set(name "MPICH or its kin")
      endif()
    else()
      string(REPLACE CXX cpp suffix ${language})
      string(TOLOWER ${suffix} suffix)
      nearfar_mpi_compiles(is_mpi output ${suffix} [=[
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)
#if defined(MPI_ABI_VERSION) && MPI_ABI_VERSION > 0
#define NAME "the standard ABI of MPI " TEXT(MPI_VERSION) "." TEXT(MPI_SUBVERSION)
#elif defined(OPEN_MPI)
#define NAME "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
#elif defined(I_MPI_VERSION)
#define NAME "Intel MPI " I_MPI_VERSION
#elif defined(MVAPICH2_VERSION)
#define NAME "MVAPICH2 " MVAPICH2_VERSION
#elif defined(MPICH_VERSION)
#define NAME "MPICH " MPICH_VERSION
#else
#define NAME "an MPI of version " TEXT(MPI_VERSION) "." TEXT(MPI_SUBVERSION)
#endif
#pragma message("mpi is <" NAME ">")
]=])
      if(is_mpi AND output MATCHES "mpi is <([^\">]+)>")
        set(name "${CMAKE_MATCH_1}")
      endif()
    endif()
    set(NEARFAR_MPI_NAME_${language} "${name}" CACHE INTERNAL "")
  endif()
  set(${var} "${NEARFAR_MPI_NAME_${language}}" PARENT_SCOPE)
endfunction()

# nearfar_mpi_family(VAR NAME): whose handles an MPI of this name has: openmpi, mpich (and its kin), mpiabi (the standard
# binary interface), or unknown.
function(nearfar_mpi_family var name)
  set(family mpich)
  if(name MATCHES "^Open MPI")
    set(family openmpi)
  elseif(name MATCHES "^the standard ABI")
    set(family mpiabi)
  elseif(name STREQUAL "an unknown MPI")
    set(family unknown)
  endif()
  set(${var} ${family} PARENT_SCOPE)
endfunction()

# nearfar_mpi_compiles(VAR OUTPUT_VAR SUFFIX TEXT): whether a file of this text compiles, and what the compiler says.
function(nearfar_mpi_compiles var output_var suffix text)
  set(folder ${CMAKE_BINARY_DIR}/CMakeFiles/nearfar_mpi)
  file(WRITE ${folder}/source.${suffix} "${text}")
  set(language C)
  if(suffix STREQUAL "cpp")
    set(language CXX)
  elseif(suffix STREQUAL "f90")
    set(language Fortran)
  endif()
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  try_compile(nearfar_compiles ${folder} SOURCES ${folder}/source.${suffix} LINK_LIBRARIES MPI::MPI_${language}
    OUTPUT_VARIABLE output)
  set(${var} ${nearfar_compiles} PARENT_SCOPE)
  set(${output_var} "${output}" PARENT_SCOPE)
  unset(nearfar_compiles CACHE)
endfunction()
