# SPDX-License-Identifier: BSD-3-Clause
# dtFFT, a peer of the benchmarks of transpositions and transforms: Dtfft_ROOT or the environment variable of that name
# is the prefix of an installation for this MPI. Sets Dtfft_FOUND and the target Dtfft::dtfft.
find_path(DTFFT_INCLUDE_DIR dtfft.h)
find_library(DTFFT_LIBRARY dtfft PATH_SUFFIXES lib64)
mark_as_advanced(DTFFT_INCLUDE_DIR DTFFT_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Dtfft REQUIRED_VARS DTFFT_LIBRARY DTFFT_INCLUDE_DIR)
if(Dtfft_FOUND AND NOT TARGET Dtfft::dtfft)
  add_library(Dtfft::dtfft UNKNOWN IMPORTED)
  set_target_properties(Dtfft::dtfft PROPERTIES IMPORTED_LOCATION ${DTFFT_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${DTFFT_INCLUDE_DIR})
endif()
