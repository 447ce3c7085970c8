# SPDX-License-Identifier: BSD-3-Clause
# Configures SOURCE in BUILD with OPTIONS, which must fail for the REASON, and no other.
file(REMOVE_RECURSE ${BUILD})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} ${OPTIONS} RESULT_VARIABLE code OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
string(REGEX REPLACE "[ \n]+" " " words "${output}")  # CMake breaks lines where it likes
string(FIND "${words}" "${REASON}" place)
if(code EQUAL 0 OR place EQUAL -1)
  message(FATAL_ERROR "exit code ${code}, and not \"${REASON}\":\n${output}")
endif()
