# SPDX-License-Identifier: BSD-3-Clause
# gslib (Nek5000/gslib), a peer of the gather benchmark: Gslib_ROOT or the environment variable of that name is the
# prefix of an installation for this MPI. Sets Gslib_FOUND and the target Gslib::gslib.
find_path(GSLIB_INCLUDE_DIR gslib/gslib.h)
find_library(GSLIB_LIBRARY gs)
mark_as_advanced(GSLIB_INCLUDE_DIR GSLIB_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Gslib REQUIRED_VARS GSLIB_LIBRARY GSLIB_INCLUDE_DIR)
if(Gslib_FOUND AND NOT TARGET Gslib::gslib)
  add_library(Gslib::gslib UNKNOWN IMPORTED)
  # Its own headers include each other by plain names, those of MPI only with the word that its installation defines.
  set_target_properties(Gslib::gslib PROPERTIES IMPORTED_LOCATION ${GSLIB_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${GSLIB_INCLUDE_DIR};${GSLIB_INCLUDE_DIR}/gslib")
endif()
