# SPDX-License-Identifier: BSD-3-Clause
# cmake -DSOURCE=… -DFILE=… -P revision.cmake: writes the submodule that names the sources' revision, and leaves
# the file alone where it says so already.
set(revision unknown)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${SOURCE}" source)
  if(top STREQUAL source)      # not a copy of the sources inside some other repository
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 OUTPUT_VARIABLE found
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      set(revision "${found}")
    endif()
  endif()
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
