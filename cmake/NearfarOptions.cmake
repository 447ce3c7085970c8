# SPDX-License-Identifier: BSD-3-Clause
# What can be switched, all of it in docs/install.md too. Plainly configured this is the library as a packager wants it.

set(NEARFAR_TESTS OFF CACHE STRING "Build the tests and the examples (ON, OFF, or mpi: only what depends on the MPI)")
option(NEARFAR_BENCH "Build the benchmark programs" OFF)
option(NEARFAR_APPS "Build the applications (the weather model needs NEARFAR_FORTRAN)" OFF)
option(NEARFAR_PRELOAD "Build libnearfar_mpi.so and nearfar-run, for programs that nobody recompiles" ${PROJECT_IS_TOP_LEVEL})
if(NEARFAR_PRELOAD AND CMAKE_CXX_FLAGS MATCHES "fsanitize")
  set(NEARFAR_PRELOAD OFF)
  nearfar_note(NEARFAR_PRELOAD "not with sanitizers")
endif()

# What scikit-build-core builds is a wheel (bindings/python/wheel.cmake).
set(is_wheel OFF)
if(SKBUILD)
  set(is_wheel ON)
endif()
option(NEARFAR_WHEEL "Build what a Python wheel holds, linked with no MPI" ${is_wheel})
mark_as_advanced(NEARFAR_WHEEL)

# AUTO: if it is found. ON: an error if it is not. The ordinary variable of that name becomes ON or OFF, see
# nearfar_settle().
foreach(option IN ITEMS "FORTRAN:the Fortran interface" "HWLOC:cores and caches as hwloc knows them" "OPENMP:threads in irregular plans"
        "HDF5:NetCDF-4, HDF5 and VTKHDF output" "ZSTD:zstd in output" "BLOSC:blosc in output" "ZFP:zfp in output"
        "PYTHON:the Python interface" "CUDA:kernels of GPUs")
  string(REGEX MATCH "^([A-Z0-9]+):(.*)$" option ${option})
  set(default AUTO)
  if(CMAKE_MATCH_1 STREQUAL "PYTHON" OR (CMAKE_MATCH_1 STREQUAL "FORTRAN" AND NOT PROJECT_IS_TOP_LEVEL))
    set(default OFF)
  endif()
  set(NEARFAR_${CMAKE_MATCH_1} ${default} CACHE STRING "AUTO, ON or OFF: ${CMAKE_MATCH_2}")
  set_property(CACHE NEARFAR_${CMAKE_MATCH_1} PROPERTY STRINGS AUTO ON OFF)
endforeach()

if(PROJECT_IS_TOP_LEVEL)
  option(BUILD_SHARED_LIBS "A shared libnearfar (OFF: a static one)" ON)
  get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT CMAKE_BUILD_TYPE AND NOT is_multi_config)
    set_property(CACHE CMAKE_BUILD_TYPE PROPERTY VALUE Release)
  endif()
endif()
