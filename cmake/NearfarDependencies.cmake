# SPDX-License-Identifier: BSD-3-Clause
# What the project is built from, found on the machine and never fetched.

if(NEARFAR_FORTRAN)
  enable_language(Fortran)
endif()

# Compilations are the slow part of a test run from scratch; a cache makes the second one short.
find_program(NEARFAR_CCACHE ccache)
mark_as_advanced(NEARFAR_CCACHE)
if(PROJECT_IS_TOP_LEVEL AND NEARFAR_CCACHE)
  foreach(language IN ITEMS C CXX)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${NEARFAR_CCACHE})
    endif()
  endforeach()
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(MPI 3.1 REQUIRED COMPONENTS C)
if(NEARFAR_FORTRAN)
  find_package(MPI 3.1 REQUIRED COMPONENTS Fortran)
endif()
find_package(nlohmann_json 3.10 REQUIRED)
pkg_check_modules(HWLOC IMPORTED_TARGET hwloc)
# The serial library, which goes with any MPI: ranks write their parts of a file themselves.
pkg_search_module(HDF5_SERIAL IMPORTED_TARGET GLOBAL hdf5-serial hdf5)
find_library(NEARFAR_HDF5_HL NAMES hdf5_hl HINTS ${HDF5_SERIAL_LIBRARY_DIRS})
mark_as_advanced(NEARFAR_HDF5_HL)
# Compression of output: by header and library, since not all of them have a pkg-config file.
foreach(codec IN ITEMS ZSTD:zstd.h:zstd BLOSC:blosc.h:blosc ZFP:zfp.h:zfp)
  string(REPLACE ":" ";" codec ${codec})
  list(POP_FRONT codec name header library)
  find_path(NEARFAR_${name}_INCLUDE ${header})
  find_library(NEARFAR_${name}_LIBRARY ${library})
  mark_as_advanced(NEARFAR_${name}_INCLUDE NEARFAR_${name}_LIBRARY)
  if(NEARFAR_${name}_INCLUDE AND NEARFAR_${name}_LIBRARY)
    add_library(nearfar_codec_${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(nearfar_codec_${name} INTERFACE ${NEARFAR_${name}_LIBRARY})
    target_include_directories(nearfar_codec_${name} INTERFACE ${NEARFAR_${name}_INCLUDE})
  endif()
endforeach()
if(NEARFAR_TESTS)
  find_package(GTest REQUIRED)
endif()

# Wrappers and launcher may have been given by name; installed files need to know where they are.
foreach(program IN ITEMS MPI_C_COMPILER MPI_Fortran_COMPILER MPIEXEC_EXECUTABLE)
  unset(found CACHE)
  if(${program})
    find_program(found NAMES ${${program}} NO_CACHE)
  endif()
  if(found)
    set(${program} ${found})
  endif()
  unset(found)
endforeach()

# MPI for C++ sources: the C interface only, which saves parsing (and linking) the withdrawn C++ one.
add_library(nearfar_mpi INTERFACE)
target_link_libraries(nearfar_mpi INTERFACE MPI::MPI_C)
target_compile_definitions(nearfar_mpi INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)

# Which MPI this is decides how tests are launched.
if(MPI_C_LIBRARY_VERSION_STRING MATCHES "Open MPI" OR MPI_C_COMPILER MATCHES "openmpi"
   OR "${MPI_C_LIBRARIES}" MATCHES "openmpi|libmpi\\.so")
  set(NEARFAR_MPI_FAMILY openmpi)
else()
  set(NEARFAR_MPI_FAMILY mpich)
endif()
message(STATUS "nearfar: MPI is ${NEARFAR_MPI_FAMILY}, launched by ${MPIEXEC_EXECUTABLE}")

# Gather plans may have threads; without it they have one.
find_package(OpenMP COMPONENTS CXX)
