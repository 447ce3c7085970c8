# SPDX-License-Identifier: BSD-3-Clause
# What the project is built from, found on the machine and never fetched.

# Compilations are the slow part of a test run from scratch; a cache makes the second one short, and compiles once for
# both MPIs what does not include mpi.h. Paths are cached relative to the sources, so that another clone profits, too.
find_program(NEARFAR_CCACHE ccache)
mark_as_advanced(NEARFAR_CCACHE)
if(PROJECT_IS_TOP_LEVEL AND NEARFAR_CCACHE)
  foreach(language IN ITEMS C CXX)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
        CCACHE_SLOPPINESS=pch_defines,time_macros ${NEARFAR_CCACHE})
    endif()
  endforeach()
endif()

find_package(PkgConfig QUIET)
find_package(Threads REQUIRED)
# Who names the wrapper for C means that MPI's other programs, too.
foreach(other IN ITEMS MPI_Fortran_COMPILER:mpifort MPIEXEC_EXECUTABLE:mpiexec)
  string(REGEX MATCH "^([^:]+):(.+)$" other ${other})
  if(MPI_C_COMPILER AND NOT ${CMAKE_MATCH_1})
    string(REPLACE mpicc ${CMAKE_MATCH_2} name ${MPI_C_COMPILER})
    string(REGEX REPLACE "mpiexec_abi$" mpiexec name ${name})  # one launcher for both interfaces of MPICH
    find_program(nearfar_mpicc ${MPI_C_COMPILER} NO_CACHE)
    cmake_path(GET nearfar_mpicc PARENT_PATH folder)
    find_program(${CMAKE_MATCH_1} NAMES ${name} HINTS ${folder})
  endif()
endforeach()
find_package(MPI 3.1 REQUIRED COMPONENTS C)
if(NEARFAR_WHEEL)
  include(NearfarWheelJson)
else()
  find_package(nlohmann_json 3.10 REQUIRED)
endif()

# Which MPI this is decides how tests are launched, and which programs the library fits.
include(nearfarMpi)
nearfar_mpi_name(NEARFAR_MPI_NAME C)
nearfar_mpi_family(NEARFAR_MPI_FAMILY "${NEARFAR_MPI_NAME}")
set(NEARFAR_OTHER_MPI 0)
if(NEARFAR_MPI_FAMILY STREQUAL "openmpi")
  set(NEARFAR_OTHER_MPI "!defined(OPEN_MPI)")
elseif(NEARFAR_MPI_FAMILY STREQUAL "mpich")
  set(NEARFAR_OTHER_MPI "(defined(OPEN_MPI) || defined(MPI_ABI_VERSION))")
elseif(NEARFAR_MPI_FAMILY STREQUAL "mpiabi")
  set(NEARFAR_OTHER_MPI "!defined(MPI_ABI_VERSION)")
endif()

set(has_fortran OFF)
set(missing "the standard ABI of MPI has none")
if(NEARFAR_FORTRAN AND NOT NEARFAR_MPI_FAMILY STREQUAL "mpiabi")
  if(NOT CMAKE_Fortran_COMPILER)
    unset(CMAKE_Fortran_COMPILER CACHE)  # it may have been installed meanwhile
  endif()
  include(CheckLanguage)
  check_language(Fortran)
  set(missing "there is no Fortran compiler (Debian: gfortran)")
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    find_package(MPI 3.1 COMPONENTS Fortran)
    set(missing "the MPI has no module mpi_f08 for ${CMAKE_Fortran_COMPILER}")
    set(has_fortran ${MPI_Fortran_HAVE_F08_MODULE})
  endif()
  if(has_fortran)
    nearfar_mpi_name(fortran_mpi Fortran)
    nearfar_mpi_family(fortran_mpi "${fortran_mpi}")
    if(NOT fortran_mpi MATCHES "^(${NEARFAR_MPI_FAMILY}|unknown)$")
      set(missing "${MPI_Fortran_COMPILER} is of another MPI than ${MPI_C_COMPILER}")
      set(has_fortran OFF)
    endif()
  endif()
endif()
nearfar_settle(NEARFAR_FORTRAN has_fortran "${missing}")

if(NEARFAR_HWLOC AND PkgConfig_FOUND)
  pkg_check_modules(HWLOC IMPORTED_TARGET hwloc)
endif()
nearfar_settle(NEARFAR_HWLOC HWLOC_FOUND "hwloc is not found (Debian: libhwloc-dev, pkg-config)" ${HWLOC_VERSION})

# Machine files of the command `nearfar`, which does without them where it is not found, settings of programs; its traces.
set(NEARFAR_TOML OFF)
set(NEARFAR_OTF2 OFF)
if(PkgConfig_FOUND)
  pkg_check_modules(TOMLPLUSPLUS IMPORTED_TARGET tomlplusplus)
  set(NEARFAR_TOML ${TOMLPLUSPLUS_FOUND})
  pkg_check_modules(OTF2 IMPORTED_TARGET otf2)
  set(NEARFAR_OTF2 ${OTF2_FOUND})
endif()

# The serial library, which goes with any MPI: ranks write their parts of a file themselves.
if(NEARFAR_HDF5 AND PkgConfig_FOUND)
  pkg_search_module(HDF5_SERIAL IMPORTED_TARGET GLOBAL hdf5-serial hdf5)
  find_library(NEARFAR_HDF5_HL NAMES hdf5_hl HINTS ${HDF5_SERIAL_LIBRARY_DIRS})
  mark_as_advanced(NEARFAR_HDF5_HL)
endif()
set(has_hdf5 OFF)
if(HDF5_SERIAL_FOUND AND NEARFAR_HDF5_HL)
  set(has_hdf5 ON)
endif()
nearfar_settle(NEARFAR_HDF5 has_hdf5 "HDF5 is not found (Debian: libhdf5-dev, pkg-config)" ${HDF5_SERIAL_VERSION})

# Compression of output: by header and library, since not all of them have a pkg-config file.
foreach(codec IN ITEMS zstd blosc zfp)
  string(TOUPPER ${codec} name)
  if(NEARFAR_${name})
    find_path(NEARFAR_${name}_INCLUDE ${codec}.h)
    find_library(NEARFAR_${name}_LIBRARY ${codec})
    mark_as_advanced(NEARFAR_${name}_INCLUDE NEARFAR_${name}_LIBRARY)
  endif()
  set(has_codec OFF)
  if(NEARFAR_${name}_INCLUDE AND NEARFAR_${name}_LIBRARY)
    set(has_codec ON)
  endif()
  nearfar_settle(NEARFAR_${name} has_codec "${codec} is not found (Debian: lib${codec}-dev)")
  if(NEARFAR_${name})
    add_library(nearfar_codec_${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(nearfar_codec_${name} INTERFACE ${NEARFAR_${name}_LIBRARY})
    target_include_directories(nearfar_codec_${name} INTERFACE ${NEARFAR_${name}_INCLUDE})
  endif()
endforeach()

# Python's compiler of bindings, by the interpreter that find_package(Python) takes (Python_EXECUTABLE says another one), or by that of
# `make python`. The package itself needs mpi4py and numpy when it runs, and its tests do.
set(has_python OFF)
set(missing "Python 3.10 with its headers is not found (Debian: python3-dev)")
if(NEARFAR_PYTHON)
  if(NOT Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/build/python-env/bin/python)
    set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/build/python-env/bin/python)
  endif()
  find_package(Python 3.10 COMPONENTS Interpreter Development.Module)
  if(Python_FOUND)
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_DIR
      RESULT_VARIABLE has_no_nanobind OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(missing "${Python_EXECUTABLE} has no nanobind (`make python` makes an environment that has it)")
    if(has_no_nanobind EQUAL 0)
      set(has_python ON)
      find_package(nanobind CONFIG REQUIRED)
    endif()
  endif()
endif()
nearfar_settle(NEARFAR_PYTHON has_python "${missing}" ${Python_EXECUTABLE})

# Irregular plans may have threads; without it they have one.
if(NEARFAR_OPENMP)
  find_package(OpenMP COMPONENTS CXX)
endif()
nearfar_settle(NEARFAR_OPENMP OpenMP_CXX_FOUND "the C++ compiler has no OpenMP" ${OpenMP_CXX_VERSION})

# The compiler alone: the driver is found when a program runs, and no library of CUDA is linked.
if(NEARFAR_CUDA)
  find_program(NEARFAR_NVCC nvcc HINTS ${CUDAToolkit_ROOT} ENV CUDAToolkit_ROOT ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda
    PATH_SUFFIXES bin)
  mark_as_advanced(NEARFAR_NVCC)
endif()
nearfar_settle(NEARFAR_CUDA NEARFAR_NVCC "nvcc is not found (CUDAToolkit_ROOT or CUDA_HOME is where it is)" ${NEARFAR_NVCC})

if(NEARFAR_TESTS)
  find_package(GTest REQUIRED)
endif()

# Wrappers and launcher may have been given by name; installed files need to know where they are, and which:
# /usr/bin/mpicc of Debian is a link to another MPI's tomorrow.
foreach(program IN ITEMS MPI_C_COMPILER MPI_Fortran_COMPILER MPIEXEC_EXECUTABLE)
  unset(found CACHE)
  if(${program})
    find_program(found NAMES ${${program}} NO_CACHE)
  endif()
  if(found)
    set(${program} ${found})
  endif()
  while(IS_SYMLINK "${found}" AND NOT found MATCHES "/mpi[a-z]+[.]")
    file(READ_SYMLINK ${found} target)
    cmake_path(ABSOLUTE_PATH target BASE_DIRECTORY ${found}/.. NORMALIZE OUTPUT_VARIABLE found)
    if(found MATCHES "/mpi(cc|fort|f90|exec)[^/]*$")
      set(${program} ${found})
    endif()
  endwhile()
  unset(found)
endforeach()

# MPI for C++ sources: the C interface only, which saves parsing (and linking) the withdrawn C++ one.
add_library(nearfar_mpi INTERFACE)
target_link_libraries(nearfar_mpi INTERFACE MPI::MPI_C)
target_compile_definitions(nearfar_mpi INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
target_include_directories(nearfar_mpi INTERFACE ${PROJECT_BINARY_DIR}/include)  # nearfar/built_with.h goes with each <mpi.h>

