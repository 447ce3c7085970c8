# SPDX-License-Identifier: BSD-3-Clause
# The one place that makes the text of --version: sets NEARFAR_VERSION_TEXT to the project's version and, in a checkout,
# what git
# calls its commit ("0.1.0 (v0.1.0-12-gfd8ac46)"). nearfar_tells_version(TARGET…): the targets may include
# version_text.h (C, C++)
# or version_text.inc (Fortran).
set(NEARFAR_VERSION_TEXT ${PROJECT_VERSION})
find_program(NEARFAR_GIT git)
mark_as_advanced(NEARFAR_GIT)
if(NEARFAR_GIT AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND ${NEARFAR_GIT} -C ${PROJECT_SOURCE_DIR} describe --tags --always --dirty
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(commit)
    string(APPEND NEARFAR_VERSION_TEXT " (${commit})")
  endif()
endif()
foreach(file IN ITEMS version_text.h version_text.inc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${file}.in ${PROJECT_BINARY_DIR}/version/${file} @ONLY)
endforeach()
function(nearfar_tells_version)
  foreach(target IN LISTS ARGN)
    target_include_directories(${target} PRIVATE ${nearfar_BINARY_DIR}/version)
  endforeach()
endfunction()
