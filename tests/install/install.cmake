# SPDX-License-Identifier: BSD-3-Clause
# Installs the build tree BUILD, or the COMPONENTS of it, to an empty PREFIX.
file(REMOVE_RECURSE ${PREFIX})
if(NOT COMPONENTS)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endif()
foreach(component IN LISTS COMPONENTS)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} --component ${component}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
