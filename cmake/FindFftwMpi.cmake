# SPDX-License-Identifier: BSD-3-Clause
# FFTW's MPI part, a peer of the benchmarks of transpositions and transforms: Debian's, or under FftwMpi_ROOT; only if
# it was built for the
# MPI in use. Sets FftwMpi_FOUND and the target FftwMpi::fftw_mpi.
find_path(FFTW_MPI_INCLUDE_DIR fftw3-mpi.h)
find_library(FFTW_MPI_LIBRARY fftw3_mpi)
find_library(FFTW_MPI_SERIAL_LIBRARY fftw3)
mark_as_advanced(FFTW_MPI_INCLUDE_DIR FFTW_MPI_LIBRARY FFTW_MPI_SERIAL_LIBRARY)
if(FFTW_MPI_INCLUDE_DIR AND FFTW_MPI_LIBRARY)
  # Its header is the same for all MPIs; the library may name the one that it was linked with.
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${FFTW_MPI_LIBRARY} OUTPUT_VARIABLE needed ERROR_QUIET)
  set(other_mpi "NEEDED +libmpi.so.40")
  if(NEARFAR_MPI_FAMILY STREQUAL "openmpi")
    set(other_mpi "NEEDED +(libmpich|libmpi.so.12)")
  endif()
  set(FFTW_MPI_FITS_MPI ON)
  if(needed MATCHES "${other_mpi}")
    set(FFTW_MPI_FITS_MPI OFF)
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FftwMpi
  REQUIRED_VARS FFTW_MPI_LIBRARY FFTW_MPI_SERIAL_LIBRARY FFTW_MPI_INCLUDE_DIR FFTW_MPI_FITS_MPI)
if(FftwMpi_FOUND AND NOT TARGET FftwMpi::fftw_mpi)
  add_library(FftwMpi::fftw_mpi UNKNOWN IMPORTED)
  set_target_properties(FftwMpi::fftw_mpi PROPERTIES IMPORTED_LOCATION ${FFTW_MPI_LIBRARY}
    INTERFACE_LINK_LIBRARIES ${FFTW_MPI_SERIAL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${FFTW_MPI_INCLUDE_DIR})
endif()
