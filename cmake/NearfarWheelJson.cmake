# SPDX-License-Identifier: BSD-3-Clause
# nlohmann_json for a wheel: the machine's, or that of the Python package nlohmann-json, which pip brings along.
find_package(nlohmann_json 3.10 QUIET)
if(NOT nlohmann_json_FOUND)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import nlohmann_json; print(nlohmann_json.__path__[0])"
    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  add_library(nlohmann_json INTERFACE)
  add_library(nlohmann_json::nlohmann_json ALIAS nlohmann_json)
  target_include_directories(nlohmann_json SYSTEM INTERFACE ${folder}/include)
endif()
