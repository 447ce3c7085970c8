# SPDX-License-Identifier: BSD-3-Clause
# What was found, what is off and why: settled while configuring, told at its end.

# nearfar_note(OPTION TEXT): something to know about an option, for the summary.
function(nearfar_note option text)
  set_property(GLOBAL APPEND PROPERTY nearfar_notes_${option} "${text}")
endfunction()

# nearfar_settle(OPTION FOUND REASON [NOTE]): makes an option that is AUTO or ON what was found; ON without it is an
# error. REASON says what is missing, NOTE what was found.
macro(nearfar_settle option found reason)
  if(NOT ${option})
    set(${option} OFF)
  elseif(${found})
    set(${option} ON)
    if(NOT "${ARGN}" STREQUAL "")
      nearfar_note(${option} "${ARGN}")
    endif()
  elseif("${${option}}" STREQUAL "AUTO")
    set(${option} OFF)
    nearfar_note(${option} "${reason}")
  else()
    message(FATAL_ERROR "${option} is ${${option}}, but ${reason}")
  endif()
endmacro()

function(nearfar_summary)
  set(languages C CXX)
  if(NEARFAR_FORTRAN)
    list(APPEND languages Fortran)
  endif()
  set(compilers)
  foreach(language IN LISTS languages)
    list(APPEND compilers "${CMAKE_${language}_COMPILER} (${CMAKE_${language}_COMPILER_ID} ${CMAKE_${language}_COMPILER_VERSION})")
  endforeach()
  list(JOIN compilers ", " compilers)
  set(kind shared)
  get_target_property(type nearfar TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    set(kind static)
  endif()
  set(lines
    "MPI              ${NEARFAR_MPI_NAME}: ${MPI_C_COMPILER}, launched by ${MPIEXEC_EXECUTABLE}"
    "compilers        ${compilers}"
    "build            ${CMAKE_BUILD_TYPE}, ${kind} library"
    "installs to      ${CMAKE_INSTALL_PREFIX}")
  foreach(option IN ITEMS FORTRAN PYTHON PRELOAD HWLOC OPENMP HDF5 ZSTD BLOSC ZFP CUDA TESTS BENCH APPS)
    set(value OFF)
    if(NEARFAR_${option})
      set(value ON)
    endif()
    get_property(notes GLOBAL PROPERTY nearfar_notes_NEARFAR_${option})
    list(JOIN notes "; " notes)
    string(SUBSTRING "NEARFAR_${option}          " 0 16 name)
    string(SUBSTRING "${value}  " 0 3 value)
    string(STRIP "${name} ${value}  ${notes}" line)
    list(APPEND lines "${line}")
  endforeach()
  list(JOIN lines "\n     " lines)
  message(STATUS "Nearfar ${PROJECT_VERSION}\n     ${lines}")
endfunction()
