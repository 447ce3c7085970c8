# SPDX-License-Identifier: BSD-3-Clause
# The one place that makes the text of --version: sets NEARFAR_VERSION_TEXT to the project's version and what git calls
# the commit ("0.1.0 (v0.1.0-12-gfd8ac46)"). nearfar_tells_version(TARGET…): the targets may include version_text.h
# (C, C++) or version_text.inc (Fortran).
include(NearfarCommit)
set(NEARFAR_VERSION_TEXT ${PROJECT_VERSION})
nearfar_commit(commit)
if(commit)
  string(APPEND NEARFAR_VERSION_TEXT " (${commit})")
endif()
foreach(file IN ITEMS version_text.h version_text.inc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${file}.in ${PROJECT_BINARY_DIR}/version/${file} @ONLY)
endforeach()
function(nearfar_tells_version)
  foreach(target IN LISTS ARGN)
    target_include_directories(${target} PRIVATE ${nearfar_BINARY_DIR}/version)
  endforeach()
endfunction()
