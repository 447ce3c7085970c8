# SPDX-License-Identifier: BSD-3-Clause
# Configures, builds and runs the project SOURCE against the Nearfar in PREFIX.
file(REMOVE_RECURSE ${BUILD})
# Nothing of the surrounding build may help: only the prefix is told.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -DCMAKE_PREFIX_PATH=${PREFIX}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB programs ${BUILD}/consumer ${BUILD}/pencils)
foreach(program IN LISTS programs)
  execute_process(COMMAND ${LAUNCH} ${program} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
