# SPDX-License-Identifier: BSD-3-Clause
# What an installed Nearfar consists of: libraries, headers, Fortran modules, CMake package, pkg-config files.
include(CMakePackageConfigHelpers)
set(NEARFAR_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/nearfar)
set(NEARFAR_MODULE_DIR ${CMAKE_INSTALL_INCLUDEDIR}/nearfar/fortran)

# The component "library" apart from the rest: tests/install puts the static one, which is not installed otherwise, in
# its place.
install(TARGETS nearfar nearfar_gslib EXPORT nearfar DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
if(TARGET nearfar_static)
  install(TARGETS nearfar_static nearfar_gslib_static EXPORT nearfar_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT static EXCLUDE_FROM_ALL)
  install(EXPORT nearfar_static NAMESPACE nearfar:: FILE nearfarStaticTargets.cmake DESTINATION ${NEARFAR_PACKAGE_DIR}
    COMPONENT static EXCLUDE_FROM_ALL)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/nearfar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/include/nearfar/version.h ${PROJECT_BINARY_DIR}/include/nearfar/built_with.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nearfar)
set(pkgconfig_files nearfar nearfar-gslib)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/gslib/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nearfar/gslib)
if(TARGET nearfar_fortran)
  # The bindings are a static library of thin wrappers: no Fortran ABI enters a shared object.
  install(TARGETS nearfar_fortran EXPORT nearfar_fortran ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  foreach(library IN ITEMS nearfar_decomp_2d nearfar_decomp_2d_single)
    get_target_property(module_dir ${library} Fortran_MODULE_DIRECTORY)
    install(TARGETS ${library} EXPORT nearfar_fortran ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(DIRECTORY ${module_dir}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nearfar/${library} FILES_MATCHING PATTERN *.mod)
  endforeach()
  install(EXPORT nearfar_fortran NAMESPACE nearfar:: FILE nearfarFortranTargets.cmake DESTINATION ${NEARFAR_PACKAGE_DIR})
  get_target_property(module_dir nearfar_fortran Fortran_MODULE_DIRECTORY)
  install(FILES ${module_dir}/nearfar.mod DESTINATION ${NEARFAR_MODULE_DIR})
  list(APPEND pkgconfig_files nearfar-fortran)
endif()
install(EXPORT nearfar NAMESPACE nearfar:: FILE nearfarTargets.cmake DESTINATION ${NEARFAR_PACKAGE_DIR} COMPONENT library)

# What a static library leaves to the program: full names for CMake, options for pkg-config.
set(NEARFAR_STATIC_SYSTEM pthread ${CMAKE_DL_LIBS})
set(NEARFAR_STATIC_CXX ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM NEARFAR_STATIC_CXX ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
set(NEARFAR_STATIC_LIBRARIES)
if(NEARFAR_HWLOC)
  list(APPEND NEARFAR_STATIC_LIBRARIES ${HWLOC_LINK_LIBRARIES})
endif()
if(NEARFAR_HDF5)
  list(APPEND NEARFAR_STATIC_LIBRARIES ${NEARFAR_HDF5_HL} ${HDF5_SERIAL_LINK_LIBRARIES})
endif()
foreach(codec IN ITEMS ZSTD BLOSC ZFP)
  if(NEARFAR_${codec})
    list(APPEND NEARFAR_STATIC_LIBRARIES ${NEARFAR_${codec}_LIBRARY})
  endif()
endforeach()
if(NEARFAR_OPENMP)
  list(APPEND NEARFAR_STATIC_LIBRARIES ${OpenMP_CXX_LIBRARIES})
endif()
set(NEARFAR_PC_PRIVATE)
foreach(library IN LISTS NEARFAR_STATIC_LIBRARIES)
  cmake_path(GET library STEM name)
  cmake_path(GET library PARENT_PATH folder)
  if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    list(APPEND NEARFAR_PC_PRIVATE -L${folder})
  endif()
  string(REGEX REPLACE "^lib" "-l" name ${name})
  list(APPEND NEARFAR_PC_PRIVATE ${name})
endforeach()
foreach(name IN LISTS NEARFAR_STATIC_CXX NEARFAR_STATIC_SYSTEM)
  list(APPEND NEARFAR_PC_PRIVATE -l${name})
endforeach()
list(REMOVE_DUPLICATES NEARFAR_PC_PRIVATE)
list(JOIN NEARFAR_PC_PRIVATE " " NEARFAR_PC_PRIVATE)

get_property(NEARFAR_WHY_NO_FORTRAN GLOBAL PROPERTY nearfar_notes_NEARFAR_FORTRAN)
if(NOT NEARFAR_WHY_NO_FORTRAN)
  set(NEARFAR_WHY_NO_FORTRAN "NEARFAR_FORTRAN was OFF")
endif()
string(REPLACE mpicc mpicxx NEARFAR_MPI_CXX_WRAPPER ${MPI_C_COMPILER})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/nearfarConfig.cmake.in
  ${PROJECT_BINARY_DIR}/nearfarConfig.cmake INSTALL_DESTINATION ${NEARFAR_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nearfarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${CMAKE_CURRENT_LIST_DIR}/nearfarStatic.cmake.in ${PROJECT_BINARY_DIR}/nearfarStatic.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/nearfarConfig.cmake ${PROJECT_BINARY_DIR}/nearfarConfigVersion.cmake
  ${PROJECT_BINARY_DIR}/nearfarStatic.cmake ${CMAKE_CURRENT_LIST_DIR}/nearfarMpi.cmake
  DESTINATION ${NEARFAR_PACKAGE_DIR})
# Relative, so that an installed tree can be moved.
file(RELATIVE_PATH NEARFAR_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name IN LISTS pkgconfig_files)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
