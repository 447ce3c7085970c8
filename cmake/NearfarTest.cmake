# SPDX-License-Identifier: BSD-3-Clause
# Test programs and their ctest entries.
#
# A module has two test programs at most: test_MODULE_unit, of its serial tests, and test_MODULE_mpi, of its MPI tests.
# The latter is launched once on this machine and once on emulated nodes, and takes all rank counts and node shapes
# there (tests/mpi_test/shapes.hpp). What each entry costs, and so its time-out, stands in tests/costs/costs.txt.

# How this MPI is made to run as root and with more ranks than cores.
set(NEARFAR_LAUNCH_FLAGS)
set(NEARFAR_LAUNCH_ENV NEARFAR_WISDOM=off GTEST_COLOR=no)
if(NEARFAR_MPI_FAMILY STREQUAL "openmpi")
  list(APPEND NEARFAR_LAUNCH_FLAGS --oversubscribe --bind-to none)
  list(APPEND NEARFAR_LAUNCH_ENV OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_mpi_yield_when_idle=1)
  # What it chooses on one machine anyway, without looking at the others, and no grace for ranks of a job that has
  # failed: each launch is 0.2 s shorter, a failing one 1.5 s.
  list(APPEND NEARFAR_LAUNCH_ENV OMPI_MCA_pml=ob1 OMPI_MCA_odls_base_sigkill_timeout=0)
endif()
set(NEARFAR_YIELD_SHIM $<TARGET_FILE:nf-yield>)
# Leaks at exit are the MPI's own; GoogleTest and the MPIs are not instrumented, so containers cannot be checked.
list(APPEND NEARFAR_LAUNCH_ENV ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0)

# Tests spend their time in the library and in being compiled: full optimisation would double the latter.
set(NEARFAR_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  list(APPEND NEARFAR_TEST_OPTIONS $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # ccache sees which precompiled header is read
endif()

# nearfar_labels_of(MODULE VAR): the modules in which a change can break its tests (tools/try --users). Bindings,
# examples and programs stand on all that the C interface stands on.
function(nearfar_labels_of module var)
  get_property(closure GLOBAL PROPERTY nearfar_closure_${module})
  if(NOT closure)
    get_property(closure GLOBAL PROPERTY nearfar_closure_capi)
    list(PREPEND closure ${module})
  endif()
  set(${var} ${closure} PARENT_SCOPE)
endfunction()

# What most tests include, parsed once for all that are compiled alike: with MPI, without it, with OpenMP.
set(NEARFAR_TEST_HEADERS <gmock/gmock.h> <gtest/gtest.h> <algorithm> <array> <cstdlib> <filesystem> <fstream> <functional> <map> <memory>
  <numeric> <random> <set> <string> <thread> <vector>)

# nearfar_test_program(TARGET MAIN SOURCES file… [OPENMP] [INCLUDES dir…] [LINKS target…]): a program around MAIN.
function(nearfar_test_program target main)
  cmake_parse_arguments(PARSE_ARGV 2 arg "OPENMP" "" "SOURCES;INCLUDES;LINKS")
  add_executable(${target} ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${arg_INCLUDES})
  target_link_libraries(${target} PRIVATE ${arg_LINKS} ${main})
  target_compile_options(${target} PRIVATE ${NEARFAR_TEST_OPTIONS})
  if(arg_OPENMP)
    set(main nearfar_openmp_headers)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${main})
endfunction()

# nearfar_unit_test(NAME SOURCES file… [OPENMP] [INCLUDES dir…] [LINKS target…]): a serial GoogleTest program, the test
# NAME.unit.
# OPENMP: its sources are compiled with OpenMP, as those that it tests.
function(nearfar_unit_test name)
  set(target test_${name}_unit)
  nearfar_test_program(${target} nearfar_unit_main ${ARGN})
  add_test(NAME ${name}.unit COMMAND ${target})
  nearfar_labels_of(${name} labels)
  set_tests_properties(${name}.unit PROPERTIES LABELS "unit;${labels}" ENVIRONMENT "${NEARFAR_LAUNCH_ENV}")
endfunction()

# nearfar_mpi_test(NAME SOURCES file… [OPENMP] [INCLUDES dir…] [LINKS target…]): GoogleTest programs on the MPI fixture.
#
# The tests NAME.mpi on this machine and, unless all sources decline, cluster.NAME on emulated nodes; a source with a
# line `// Alone: …`, which must not be in one program with others, becomes the test NAME.STEM of a program of its
# own.
function(nearfar_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPENMP" "" "SOURCES;INCLUDES;LINKS")
  set(others INCLUDES ${arg_INCLUDES} LINKS ${arg_LINKS})
  if(arg_OPENMP)
    list(APPEND others OPENMP)
  endif()
  set(together)
  set(is_on_cluster OFF)
  foreach(source IN LISTS arg_SOURCES)
    file(STRINGS ${source} alone REGEX "^// Alone: " LIMIT_COUNT 1)
    file(STRINGS ${source} declines REGEX "on_cluster = false" LIMIT_COUNT 1)
    if(alone)
      cmake_path(GET source STEM stem)
      string(REGEX REPLACE "_mpi_test$" "" stem ${stem})
      nearfar_test_program(test_${name}_${stem} nearfar_test_main SOURCES ${source} ${others})
      nearfar_mpi_run(${name}.${stem} 6 0 $<TARGET_FILE:test_${name}_${stem}>)
    else()
      list(APPEND together ${source})
      if(NOT declines)
        set(is_on_cluster ON)
      endif()
    endif()
  endforeach()
  if(together)
    nearfar_test_program(test_${name}_mpi nearfar_test_main SOURCES ${together} ${others})
    nearfar_mpi_run(${name}.mpi 6 0 $<TARGET_FILE:test_${name}_mpi>)
    # Ranks beyond the cores take turns, and beside other ranks each waits for the turns of all (halo.mpi: 7 s, or 29).
    # Three of the four places that tools/test-all gives two cores leave one, for a process or a test that waits.
    set_tests_properties(${name}.mpi PROPERTIES PROCESSORS 3)
    if(is_on_cluster)
      set_property(GLOBAL APPEND PROPERTY nearfar_mpi_tests ${name})
    endif()
  endif()
endfunction()

# nearfar_mpi_run(NAME RANKS NODE_SIZE [EXPECT ok|fails REGEX] COMMAND…): the ctest entry NAME, one launch of so
# many ranks.
#
# With EXPECT a line of what it says must match, and it must end with exit status 0 or another one (tests/tools/expect).
# NODE_SIZE is the value of NEARFAR_NODE_SIZE: 0 leaves it unset (all ranks near, or what the program says), 1 makes all
# ranks far.
# One rank needs no launcher.
function(nearfar_mpi_run name ranks node_size)
  set(environment ${NEARFAR_LAUNCH_ENV})
  if(node_size GREATER 0)
    list(APPEND environment NEARFAR_NODE_SIZE=${node_size})
  endif()
  set(launcher ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${NEARFAR_LAUNCH_FLAGS})
  if(ranks EQUAL 1)
    set(launcher)
    # Single ranks of Open MPI share one session folder, which one that ends may delete while another one fills it.
    list(APPEND environment OMPI_MCA_ess_singleton_isolated=1
      OMPI_MCA_orte_tmpdir_base=${PROJECT_BINARY_DIR}/Testing/sessions/${name})
  elseif(NEARFAR_MPI_FAMILY STREQUAL "mpich")
    list(APPEND environment LD_PRELOAD=${NEARFAR_YIELD_SHIM})
  endif()
  set(command ${launcher} ${ARGN})
  if(ARGV3 STREQUAL "EXPECT")
    list(SUBLIST ARGN 3 -1 command)
    set(command ${PROJECT_SOURCE_DIR}/tests/tools/expect "${ARGV4}" "${ARGV5}" ${launcher} ${command})
  endif()
  add_test(NAME ${name} COMMAND ${command})
  # More than two ranks rarely compute at the same time, and then they take turns.
  if(ranks GREATER 2)
    set(ranks 2)
  endif()
  string(REGEX REPLACE "\\..*" "" module ${name})
  nearfar_labels_of(${module} labels)
  set_tests_properties(${name} PROPERTIES PROCESSORS ${ranks} LABELS "mpi;${labels}" ENVIRONMENT "${environment}")
endfunction()

# nearfar_shape_runs(NAME COUNTS [EXPECT ok|fails REGEX] COMMAND…): the entries NAME.np<ranks>[.far|.node2] of a program
# that takes MPI_COMM_WORLD as it is:
# for each count all near, all far and, with more than two ranks, two ranks to a node.
function(nearfar_shape_runs name counts)
  foreach(ranks IN LISTS counts)
    nearfar_mpi_run(${name}.np${ranks} ${ranks} 0 ${ARGN})
    if(ranks GREATER 1)
      nearfar_mpi_run(${name}.np${ranks}.far ${ranks} 1 ${ARGN})
    endif()
    if(ranks GREATER 2)
      nearfar_mpi_run(${name}.np${ranks}.node2 ${ranks} 2 ${ARGN})
    endif()
  endforeach()
endfunction()

# nearfar_tests_of_this_mpi(LIST): with the second MPI, takes from a list of sources those with a line `// One MPI: …`,
# which says why what they test does not depend on the MPI.
function(nearfar_tests_of_this_mpi list)
  set(kept)
  foreach(source IN LISTS ${list})
    file(STRINGS ${source} once REGEX "^// One MPI: " LIMIT_COUNT 1)
    if(NOT (once AND NEARFAR_TESTS STREQUAL "mpi"))
      list(APPEND kept ${source})
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# nearfar_module_tests(MODULE INCLUDES dir…): src/MODULE/tests/X_test.cpp are serial tests, X_mpi_test.cpp MPI tests.
# Each sees what its module sees, and is linked with the objects of that module and of the layers below.
function(nearfar_module_tests module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "INCLUDES")
  get_property(includes GLOBAL PROPERTY nearfar_includes_${module})
  list(APPEND includes ${arg_INCLUDES})
  get_property(closure GLOBAL PROPERTY nearfar_closure_${module})
  set(links Threads::Threads)
  foreach(part IN LISTS closure)
    if(TARGET nearfar_${part})
      list(APPEND links nearfar_${part})
    endif()
  endforeach()
  file(GLOB mpi_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${module}/tests/*_mpi_test.cpp)
  file(GLOB unit_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${module}/tests/*_test.cpp)
  list(REMOVE_ITEM unit_tests ${mpi_tests})
  nearfar_tests_of_this_mpi(unit_tests)
  nearfar_tests_of_this_mpi(mpi_tests)
  if(unit_tests)
    nearfar_unit_test(${module} SOURCES ${unit_tests} INCLUDES ${includes} LINKS ${links} nearfar_mpi)
  endif()
  if(mpi_tests)
    nearfar_mpi_test(${module} SOURCES ${mpi_tests} INCLUDES ${includes} LINKS ${links})
  endif()
endfunction()
