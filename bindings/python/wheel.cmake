# SPDX-License-Identifier: BSD-3-Clause
# What a wheel is made of: a compiled module, a preloaded library and a nearfar-run for each MPI whose compilers are
# found. This build makes those of its own MPI, and builds of the same sources inside it those of the others. None is
# linked with its MPI: which one it is, and what its library is called, is decided when a program runs
# (nearfar/_library.py). The C++ runtime goes in statically, as in the preloaded library; other libraries are carried
# along by auditwheel.
set_target_properties(MPI::MPI_C PROPERTIES INTERFACE_LINK_LIBRARIES "" INTERFACE_LINK_OPTIONS "")
target_link_options(nearfar_python PRIVATE -static-libstdc++ -static-libgcc LINKER:--exclude-libs,ALL)
set(NEARFAR_WHEEL_TARGETS nearfar_python nearfar_preload nearfar-run)

# nearfar_wheel_files(FAMILY MODULE LIBRARY PROGRAM): where they lie in the wheel.
function(nearfar_wheel_files family module library program)
  install(FILES ${module} DESTINATION nearfar COMPONENT python EXCLUDE_FROM_ALL)
  install(PROGRAMS ${library} ${program} DESTINATION nearfar/preload/${family} COMPONENT python EXCLUDE_FROM_ALL)
endfunction()
nearfar_wheel_files(${NEARFAR_MPI_FAMILY} $<TARGET_FILE:nearfar_python> $<TARGET_FILE:nearfar_preload>
  $<TARGET_FILE:nearfar-run>)
if(NOT SKBUILD)
  return()  # one of the builds inside
endif()
install(FILES ${PROJECT_BINARY_DIR}/python/nearfar/_core.pyi DESTINATION nearfar COMPONENT python EXCLUDE_FROM_ALL)

include(ExternalProject)
set(options -DNEARFAR_WHEEL=ON)
foreach(option IN ITEMS NEARFAR_PYTHON NEARFAR_FORTRAN NEARFAR_PRELOAD NEARFAR_HDF5 NEARFAR_HWLOC BUILD_SHARED_LIBS
          CMAKE_BUILD_TYPE Python_EXECUTABLE CMAKE_CXX_FLAGS CMAKE_C_FLAGS)
  list(APPEND options "-D${option}=${${option}}")
endforeach()
foreach(pair IN ITEMS openmpi:.openmpi mpich:.mpich mpiabi:_abi)
  string(REGEX MATCH "^(.*):(.*)$" pair ${pair})
  set(family ${CMAKE_MATCH_1})
  set(suffix ${CMAKE_MATCH_2})
  find_program(NEARFAR_MPICC_${family} mpicc${suffix})
  mark_as_advanced(NEARFAR_MPICC_${family})
  if(NEARFAR_MPICC_${family} AND NOT family STREQUAL NEARFAR_MPI_FAMILY)
    set(tree ${PROJECT_BINARY_DIR}-${family})
    string(REGEX REPLACE "mpicc([^/]*)$" "mpicxx\\1" mpicxx ${NEARFAR_MPICC_${family}})
    ExternalProject_Add(nearfar_wheel_${family} SOURCE_DIR ${PROJECT_SOURCE_DIR} BINARY_DIR ${tree} INSTALL_COMMAND ""
      BUILD_ALWAYS ON CMAKE_ARGS ${options} -DMPI_C_COMPILER=${NEARFAR_MPICC_${family}} -DMPI_CXX_COMPILER=${mpicxx}
      BUILD_COMMAND ${CMAKE_COMMAND} --build . --parallel --target ${NEARFAR_WHEEL_TARGETS})
    add_dependencies(nearfar_python nearfar_wheel_${family})
    nearfar_wheel_files(${family} ${tree}/python/nearfar/_core.${family}.so ${tree}/interpose/libnearfar_mpi.so
      ${tree}/interpose/nearfar-run)
  endif()
endforeach()
