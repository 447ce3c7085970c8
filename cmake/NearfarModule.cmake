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

# nearfar_module(NAME [NO_MPI] [USES module…] [LINKS target…] [DEFINITIONS name…])
#
# Compiles src/NAME/*.cpp (and one level of folders below it) into an OBJECT library nearfar_NAME.  Its include
# path holds the public headers, its own folder and the api/ folders of itself and of USES: including the header
# of any other module fails to compile.  Sources are found by a glob that the build re-checks, so that adding a
# file needs no edit here; src/NAME/tests/*_test.cpp become tests (see NearfarTest.cmake).
function(nearfar_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_MPI" "" "USES;LINKS;DEFINITIONS")
  set(home ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${home}/*.cpp ${home}/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "^${home}/tests/")

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
    set_target_properties(nearfar_${name} PROPERTIES
      POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_compile_definitions(nearfar_${name} PRIVATE NEARFAR_BUILDING ${arg_DEFINITIONS})
    target_link_libraries(nearfar_${name} PRIVATE Threads::Threads ${arg_LINKS})
    if(NOT arg_NO_MPI)
      target_link_libraries(nearfar_${name} PRIVATE nearfar_mpi)
    endif()
    set_property(GLOBAL APPEND PROPERTY nearfar_module_links ${arg_LINKS})
  endif()
  if(NEARFAR_TESTS)
    nearfar_module_tests(${name})
  endif()
endfunction()
