# SPDX-License-Identifier: BSD-3-Clause
# nearfar_real_mpi(FOLDER): writes the two headers by which code calls the MPI itself, past everything exported.
#
# Read from the preprocessed <mpi.h>: every function (and variable) that it declares, and Open MPI's objects behind
# predefined handles.
#   real_mpi_list.hpp   NEARFAR_REAL_FUNCTIONS(X), NEARFAR_REAL_OBJECTS(X): one X(name) each
#   private_mpi.hpp     what is forced into sources that are compiled for the preloaded library: MPI_X becomes a pointer
function(nearfar_real_mpi folder)
  set(flags -DOMPI_SKIP_MPICXX=1 -DMPICH_SKIP_MPICXX=1)
  get_target_property(includes MPI::MPI_C INTERFACE_INCLUDE_DIRECTORIES)
  foreach(path IN LISTS includes)
    list(APPEND flags -I${path})
  endforeach()
  get_target_property(definitions MPI::MPI_C INTERFACE_COMPILE_DEFINITIONS)  # MPI_ABI of mpicc_abi
  foreach(definition IN LISTS definitions)
    if(definition)
      list(APPEND flags -D${definition})
    endif()
  endforeach()
  file(WRITE ${folder}/only_mpi.c "#include <mpi.h>\n")
  execute_process(COMMAND ${CMAKE_C_COMPILER} ${flags} -E -P ${folder}/only_mpi.c OUTPUT_VARIABLE declarations
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "\n" declarations "${declarations}")  # a semicolon would end an element of a list
  string(REGEX REPLACE "typedef [^\n]*" "" declarations "${declarations}")

  string(REGEX MATCHALL "[a-zA-Z] +MPI_[A-Z][A-Za-z0-9_]* *\\(" found "${declarations}")
  # MPICH has variables where Open MPI has constants.
  string(REGEX MATCHALL "extern int *[*] *const +MPI_[A-Z_]*" variables "${declarations}")
  list(APPEND found ${variables})
  list(TRANSFORM found REPLACE "^.* +(MPI_[A-Za-z0-9_]*).*$" "\\1")
  list(REMOVE_DUPLICATES found)
  list(SORT found)
  string(REGEX MATCHALL "struct +ompi_predefined_[a-z_]+_t +ompi_[a-z0-9_]+ *\n" objects "${declarations}")
  list(TRANSFORM objects REPLACE "^.*_t +(ompi_[a-z0-9_]+).*$" "\\1")
  list(REMOVE_DUPLICATES objects)

  set(NEARFAR_FUNCTION_LIST "")
  set(NEARFAR_FUNCTION_MACROS "")
  foreach(name IN LISTS found)
    string(APPEND NEARFAR_FUNCTION_LIST " \\\n  X(${name})")
    string(APPEND NEARFAR_FUNCTION_MACROS "#define ${name} (*::nearfar::real::${name})\n")
  endforeach()
  set(NEARFAR_OBJECT_LIST "")
  foreach(name IN LISTS objects)
    string(APPEND NEARFAR_OBJECT_LIST " \\\n  X(${name})")
  endforeach()
  foreach(header IN ITEMS real_mpi_list private_mpi)
    configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${header}.hpp.in ${folder}/${header}.hpp @ONLY)
  endforeach()
  list(LENGTH found functions)
  message(STATUS "nearfar: the preloaded library reaches ${functions} MPI functions by pointer")
endfunction()
