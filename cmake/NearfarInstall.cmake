# SPDX-License-Identifier: BSD-3-Clause
# What an installed Nearfar consists of: libraries, headers, Fortran modules, CMake package, pkg-config files.
include(CMakePackageConfigHelpers)
set(NEARFAR_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/nearfar)
set(NEARFAR_MODULE_DIR ${CMAKE_INSTALL_INCLUDEDIR}/nearfar/fortran)

install(TARGETS nearfar EXPORT nearfar LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/nearfar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/include/nearfar/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nearfar)
set(pkgconfig_files nearfar)
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
install(EXPORT nearfar NAMESPACE nearfar:: FILE nearfarTargets.cmake DESTINATION ${NEARFAR_PACKAGE_DIR})

string(REPLACE mpicc mpicxx NEARFAR_MPI_CXX_WRAPPER ${MPI_C_COMPILER})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/nearfarConfig.cmake.in
  ${PROJECT_BINARY_DIR}/nearfarConfig.cmake INSTALL_DESTINATION ${NEARFAR_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nearfarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nearfarConfig.cmake ${PROJECT_BINARY_DIR}/nearfarConfigVersion.cmake
  DESTINATION ${NEARFAR_PACKAGE_DIR})
# Relative, so that an installed tree can be moved.
file(RELATIVE_PATH NEARFAR_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name IN LISTS pkgconfig_files)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
