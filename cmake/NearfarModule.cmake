# SPDX-License-Identifier: BSD-3-Clause
# nearfar_module(): one layer of the library, which sees only the layers that it declares.

# nearfar_part(DIR): a subdirectory that the options may leave out.
function(nearfar_part dir)
  set(wanted ON)
  if(dir STREQUAL "interpose")
    set(wanted ${NEARFAR_PRELOAD})
  elseif(dir MATCHES "^bindings/(fortran|decomp2d)$")
    set(wanted ${NEARFAR_FORTRAN})
  elseif(dir STREQUAL "bench")
    set(wanted ${NEARFAR_BENCH})
  elseif(dir STREQUAL "examples")
    set(wanted ${NEARFAR_TESTS})
  elseif(dir STREQUAL "apps")
    set(wanted ${NEARFAR_APPS})
  endif()
  if(wanted AND EXISTS ${PROJECT_SOURCE_DIR}/${dir}/CMakeLists.txt)
    add_subdirectory(${dir})
  endif()
endfunction()

# nearfar_compiled_together(TARGET): eight sources at a time, which parses what they include once and halves the time of
# a build from scratch. Presets for developers set CMAKE_UNITY_BUILD=OFF: then a change compiles one file, and each
# includes what it uses.
function(nearfar_compiled_together target)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# nearfar_reads_includes(TARGET): its Fortran sources that include files are compiled anew when an .inc of this folder
# or of generated/ changes, which CMake does not find out by itself.
function(nearfar_reads_includes target)
  file(GLOB includes CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.inc ${CMAKE_CURRENT_SOURCE_DIR}/generated/*.inc)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.][fF]90$")
  foreach(source IN LISTS sources)
    file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${source} includes_some REGEX "^ *include '[^']*[.]inc'" LIMIT_COUNT 1)
    if(includes_some)
      set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${includes})
    endif()
  endforeach()
endfunction()

# nearfar_module(NAME [NO_MPI] [USES module…] [LINKS target…] [DEFINITIONS name…] [TESTS_SEE module…])
#
# Compiles src/NAME/*.cpp (and one level of folders below it) into an OBJECT library nearfar_NAME.  Its include
# path holds the public headers, its own folder and the api/ folders of itself and of USES: including the header
# of any other module fails to compile.  Sources are found by a glob that the build re-checks, so that adding a
# file needs no edit here; src/NAME/tests/*_test.cpp become tests (see NearfarTest.cmake), which find
# the headers of the tests of TESTS_SEE, too.
function(nearfar_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_MPI" "" "USES;LINKS;DEFINITIONS;TESTS_SEE")
  set(home ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  # Relative to it: a folder's name may have what means something else in a regular expression (nearfar-0.1.0.dev0+g...).
  file(GLOB sources RELATIVE ${home} CONFIGURE_DEPENDS ${home}/*.cpp ${home}/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "^tests/")
  list(TRANSFORM sources PREPEND ${home}/)

  set(closure ${name})
  set(includes ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${home} ${home}/api)
  foreach(used IN LISTS arg_USES)
    get_property(known GLOBAL PROPERTY nearfar_closure_${used})
    if(NOT known)
      message(FATAL_ERROR "nearfar_module(${name}): USES ${used}, which is not declared above it")
    endif()
    list(APPEND closure ${known})
    list(APPEND includes ${CMAKE_CURRENT_SOURCE_DIR}/${used}/api)
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set_property(GLOBAL PROPERTY nearfar_closure_${name} ${closure})
  set_property(GLOBAL PROPERTY nearfar_includes_${name} ${includes})
  set_property(GLOBAL PROPERTY nearfar_uses_${name} ${arg_USES})
  set_property(GLOBAL APPEND PROPERTY nearfar_modules ${name})

  if(sources)
    add_library(nearfar_${name} OBJECT ${sources})
    target_include_directories(nearfar_${name} PRIVATE ${includes})
    nearfar_compiled_together(nearfar_${name})
    set_target_properties(nearfar_${name} PROPERTIES
      POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_compile_definitions(nearfar_${name} PRIVATE NEARFAR_BUILDING ${arg_DEFINITIONS})
    target_link_libraries(nearfar_${name} PRIVATE Threads::Threads ${arg_LINKS})
    if(NOT arg_NO_MPI)
      target_link_libraries(nearfar_${name} PRIVATE nearfar_mpi)
    endif()
    set_property(GLOBAL APPEND PROPERTY nearfar_module_links ${arg_LINKS})
  endif()
  # With the second MPI what does not know of MPI needs no second test.
  if(NEARFAR_TESTS AND NOT (arg_NO_MPI AND NEARFAR_TESTS STREQUAL "mpi"))
    list(TRANSFORM arg_TESTS_SEE REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1/tests")
    nearfar_module_tests(${name} INCLUDES ${arg_TESTS_SEE})
  endif()
endfunction()
