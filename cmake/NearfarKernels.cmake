# SPDX-License-Identifier: BSD-3-Clause
# nearfar_gpu_kernels(): kernels for GPUs as a part of a library or program, where nvcc is.

# nearfar_gpu_kernels(SOURCE PREFIX FOLDER kernels.cu…)
#
# Compiles the files of FOLDER, named relative to it, to one file for the processors that nvcc knows of those below, and
# for newer ones by way of its virtual machine. SOURCE, which makes it a part of the program, gets its name as
# PREFIX_KERNELS, and ten times the capability that a card must have at least as PREFIX_LEAST_CAPABILITY. The driver
# takes it when the program runs.
function(nearfar_gpu_kernels source prefix folder)
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(NOT NEARFAR_CUDA)
    return()
  endif()
  execute_process(COMMAND ${NEARFAR_NVCC} --list-gpu-arch OUTPUT_VARIABLE offered COMMAND_ERROR_IS_FATAL ANY)
  set(processors)
  foreach(number IN ITEMS 100 90 80 75 70)
    if(offered MATCHES "compute_${number}[^0-9]")
      set(lowest ${number})
      if(NOT number EQUAL 75)
        list(APPEND processors -gencode arch=compute_${number},code=sm_${number})
      endif()
    endif()
  endforeach()
  list(APPEND processors -gencode arch=compute_${lowest},code=compute_${lowest})
  list(TRANSFORM ARGN REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE includes)
  list(JOIN includes "" includes)
  string(TOLOWER ${prefix} name)
  set(all ${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels.cu)
  set(image ${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels.fatbin)
  file(CONFIGURE OUTPUT ${all} CONTENT "${includes}")
  add_custom_command(OUTPUT ${image}
    COMMAND ${NEARFAR_NVCC} -std=c++20 -O3 -fatbin --expt-relaxed-constexpr -Wno-deprecated-gpu-targets
      --threads 0 ${processors} -I ${folder} -I ${PROJECT_SOURCE_DIR}/include -I ${PROJECT_BINARY_DIR}/include
      -MD -MT ${image} -MF ${image}.d -o ${image} ${all}
    DEPENDS ${all} DEPFILE ${image}.d COMMENT "Compiling ${name}'s kernels for GPUs" VERBATIM)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${image}
    COMPILE_DEFINITIONS "${prefix}_KERNELS=\"${image}\";${prefix}_LEAST_CAPABILITY=${lowest}")
endfunction()
