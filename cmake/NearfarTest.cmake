# SPDX-License-Identifier: BSD-3-Clause
# nearfar_unit_test() and nearfar_mpi_test(): one ctest entry per rank count and node shape.

# How this MPI is made to run as root and with more ranks than cores.
set(NEARFAR_LAUNCH_FLAGS)
set(NEARFAR_LAUNCH_ENV NEARFAR_WISDOM=off GTEST_COLOR=no)
if(NEARFAR_MPI_FAMILY STREQUAL "openmpi")
  list(APPEND NEARFAR_LAUNCH_FLAGS --oversubscribe --bind-to none)
  list(APPEND NEARFAR_LAUNCH_ENV OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_mpi_yield_when_idle=1)
endif()
set(NEARFAR_YIELD_SHIM $<TARGET_FILE:nf-yield>)
# Leaks at exit are the MPI's own; GoogleTest and the MPIs are not instrumented, so containers cannot be checked.
list(APPEND NEARFAR_LAUNCH_ENV ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0)
set(NEARFAR_TEST_SECONDS 60 CACHE STRING "Seconds after which ctest gives up on a test")
mark_as_advanced(NEARFAR_TEST_SECONDS)

# Tests spend their time in the library and in being compiled: full optimisation would double the latter.
set(NEARFAR_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)

# nearfar_unit_test(NAME SOURCES file… [INCLUDES dir…] [LINKS target…]): a serial GoogleTest program.
function(nearfar_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;INCLUDES;LINKS")
  string(REPLACE "." "_" target test_${name})
  add_executable(${target} ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${arg_INCLUDES})
  target_compile_options(${target} PRIVATE ${NEARFAR_TEST_OPTIONS})
  target_link_libraries(${target} PRIVATE ${arg_LINKS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${NEARFAR_TEST_SECONDS} LABELS unit
    ENVIRONMENT "${NEARFAR_LAUNCH_ENV}")
endfunction()

# nearfar_mpi_test(NAME SOURCES file… [RANKS 1 2 3 4 6] [NODE_SIZES 0 1 2] [NO_CLUSTER] [INCLUDES dir…] [LINKS target…])
#
# A GoogleTest program on the MPI fixture.  NODE_SIZES are values of NEARFAR_NODE_SIZE: 0 leaves it unset (all
# ranks near), 1 makes all ranks far, 2 mixes them, where there are enough ranks for that to differ.
function(nearfar_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_CLUSTER" "" "SOURCES;RANKS;NODE_SIZES;INCLUDES;LINKS")
  if(NOT arg_RANKS)
    set(arg_RANKS 1 2 3 4 6)
  endif()
  if(NOT DEFINED arg_NODE_SIZES)
    set(arg_NODE_SIZES 0 1 2)
  endif()
  string(REPLACE "." "_" target test_${name})
  add_executable(${target} ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${arg_INCLUDES})
  target_compile_options(${target} PRIVATE ${NEARFAR_TEST_OPTIONS})
  target_link_libraries(${target} PRIVATE ${arg_LINKS} nearfar_test_main)
  foreach(ranks IN LISTS arg_RANKS)
    foreach(node_size IN LISTS arg_NODE_SIZES)
      if(node_size EQUAL 0 OR node_size LESS ranks)
        nearfar_mpi_run(${name} ${ranks} ${node_size} $<TARGET_FILE:${target}>)
      endif()
    endforeach()
  endforeach()
  if(NOT arg_NO_CLUSTER)
    set_property(GLOBAL APPEND PROPERTY nearfar_mpi_tests ${name})
  endif()
endfunction()

# nearfar_mpi_run(NAME RANKS NODE_SIZE COMMAND…): the ctest entry NAME.np<ranks>[.far|.node<k>].
function(nearfar_mpi_run name ranks node_size)
  set(shape near)
  set(suffix)
  if(node_size EQUAL 1)
    set(shape far)
    set(suffix .far)
  elseif(node_size GREATER 1)
    set(shape mixed)
    set(suffix .node${node_size})
  endif()
  set(test ${name}.np${ranks}${suffix})
  set(environment ${NEARFAR_LAUNCH_ENV})
  if(node_size GREATER 0)
    list(APPEND environment NEARFAR_NODE_SIZE=${node_size})
  endif()
  if(NEARFAR_MPI_FAMILY STREQUAL "mpich" AND ranks GREATER 2)
    list(APPEND environment LD_PRELOAD=${NEARFAR_YIELD_SHIM})
  endif()
  add_test(NAME ${test} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${NEARFAR_LAUNCH_FLAGS} ${ARGN})
  set_tests_properties(${test} PROPERTIES PROCESSORS ${ranks} TIMEOUT ${NEARFAR_TEST_SECONDS}
    LABELS "mpi;np${ranks};${shape}" ENVIRONMENT "${environment}")
endfunction()

# nearfar_shapes_of(SOURCE VAR): the shapes that a test asks for in a line of its own, `// Shapes: RANKS 1 2 NODE_SIZES 0 2 [NO_CLUSTER]`;
# without that line it runs in all of them.
function(nearfar_shapes_of source var)
  file(STRINGS ${source} line REGEX "^// Shapes: " LIMIT_COUNT 1)
  string(REGEX REPLACE "^// Shapes: " "" line "${line}")
  string(REPLACE " " ";" line "${line}")
  set(${var} ${line} PARENT_SCOPE)
endfunction()

# nearfar_module_tests(MODULE): src/MODULE/tests/X_test.cpp is the serial test MODULE.X, X_mpi_test.cpp an MPI test.
# Each sees what its module sees, and is linked with the objects of that module and of the layers below.
function(nearfar_module_tests module)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${module}/tests/*_test.cpp)
  get_property(includes GLOBAL PROPERTY nearfar_includes_${module})
  get_property(closure GLOBAL PROPERTY nearfar_closure_${module})
  get_property(links GLOBAL PROPERTY nearfar_module_links)
  foreach(part IN LISTS closure)
    if(TARGET nearfar_${part})
      list(APPEND links nearfar_${part})
    endif()
  endforeach()
  list(APPEND links nearfar_mpi Threads::Threads)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    if(stem MATCHES "^(.*)_mpi_test$")
      set(name ${module}.${CMAKE_MATCH_1})
      nearfar_shapes_of(${source} shapes)
      nearfar_mpi_test(${name} SOURCES ${source} INCLUDES ${includes} LINKS ${links} ${shapes})
    else()
      string(REGEX REPLACE "_test$" "" stem ${stem})
      nearfar_unit_test(${module}.${stem} SOURCES ${source} INCLUDES ${includes} LINKS ${links})
    endif()
  endforeach()
endfunction()
