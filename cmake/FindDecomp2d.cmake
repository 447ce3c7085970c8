# SPDX-License-Identifier: BSD-3-Clause
# 2DECOMP&FFT 2.x, a peer of the benchmarks of transpositions and transforms: Decomp2d_ROOT or the environment variable
# of that name is the prefix of an installation for this MPI and Fortran compiler; its engine may be FFTW
# (FftwMpi_ROOT, if it is not Debian's). Sets Decomp2d_FOUND and the target Decomp2d::decomp2d.
find_path(DECOMP2D_INCLUDE_DIR decomp_2d.mod)
find_library(DECOMP2D_LIBRARY decomp2d)
find_library(DECOMP2D_FFTW_LIBRARY fftw3 HINTS ${FftwMpi_ROOT} PATH_SUFFIXES lib)
mark_as_advanced(DECOMP2D_INCLUDE_DIR DECOMP2D_LIBRARY DECOMP2D_FFTW_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Decomp2d REQUIRED_VARS DECOMP2D_LIBRARY DECOMP2D_INCLUDE_DIR)
if(Decomp2d_FOUND AND NOT TARGET Decomp2d::decomp2d)
  add_library(Decomp2d::decomp2d UNKNOWN IMPORTED)
  set_target_properties(Decomp2d::decomp2d PROPERTIES IMPORTED_LOCATION ${DECOMP2D_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${DECOMP2D_INCLUDE_DIR})
  if(DECOMP2D_FFTW_LIBRARY)
    set_target_properties(Decomp2d::decomp2d PROPERTIES INTERFACE_LINK_LIBRARIES ${DECOMP2D_FFTW_LIBRARY})
  endif()
endif()
