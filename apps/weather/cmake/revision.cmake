# SPDX-License-Identifier: BSD-3-Clause
# cmake -DSOURCE=… -DFILE=… -P revision.cmake: writes the submodule that names the sources' revision, and leaves
# the file alone where it says so already.
include(${SOURCE}/cmake/NearfarCommit.cmake)
nearfar_commit(revision)
if(NOT revision)
  set(revision unknown)
endif()
set(text "! Written by cmake/revision.cmake.
submodule (weather_version) weather_revision
  implicit none (type, external)
contains
  module function source_revision() result(text)
    character(:), allocatable :: text
    text = '${revision}'
  end function source_revision
end submodule weather_revision
")
if(EXISTS "${FILE}")
  file(READ "${FILE}" before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE "${FILE}" "${text}")
endif()
