# SPDX-License-Identifier: BSD-3-Clause
# nearfar_commit(RESULT): what git calls these sources: of an archive what `git archive` has written into commit.txt,
# of a checkout what git describe says now; "" where neither is known, as in a copy.
function(nearfar_commit result)
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  file(STRINGS ${folder}/commit.txt commit REGEX "^[^$%]+$" LIMIT_COUNT 1)
  find_program(NEARFAR_GIT git)
  mark_as_advanced(NEARFAR_GIT)
  if(NOT commit AND NEARFAR_GIT AND EXISTS ${folder}/../.git)
    execute_process(COMMAND ${NEARFAR_GIT} -C ${folder} describe --tags --always --dirty
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(${result} "${commit}" PARENT_SCOPE)
endfunction()
