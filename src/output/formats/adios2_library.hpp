// SPDX-License-Identifier: BSD-3-Clause
// The part of ADIOS2's C interface that is used, in a library loaded at run time.
#pragma once

#include <cstddef>
#include <nearfar/output.hpp>

namespace nearfar::output {

/// Handles are the library's own; statuses are 0 where all is well. As adios2_c.h of version 2.8 and later has them.
struct adios2_calls {
  void* (*init)() = nullptr;
  int (*finalize)(void* adios) = nullptr;
  void* (*declare_io)(void* adios, const char* name) = nullptr;
  int (*set_engine)(void* io, const char* name) = nullptr;
  int (*set_parameter)(void* io, const char* key, const char* value) = nullptr;
  void* (*define_variable)(void* io, const char* name, int type, std::size_t dimensions, const std::size_t* shape,
                           const std::size_t* start, const std::size_t* count, int is_constant) = nullptr;
  void* (*define_attribute)(void* io, const char* name, int type, const void* value) = nullptr;
  void* (*define_attribute_array)(void* io, const char* name, int type, const void* values,
                                  std::size_t count) = nullptr;
  void* (*open)(void* io, const char* path, int mode) = nullptr;
  int (*begin_step)(void* engine, int mode, float timeout_s, int* status) = nullptr;
  int (*set_selection)(void* variable, std::size_t dimensions, const std::size_t* start,
                       const std::size_t* count) = nullptr;
  int (*put)(void* engine, void* variable, const void* data, int mode) = nullptr;
  int (*end_step)(void* engine) = nullptr;
  int (*close)(void* engine) = nullptr;
  bool is_whole = false;
};

inline constexpr int adios2_mode_write = 1, adios2_mode_append = 3, adios2_mode_deferred = 4, adios2_mode_sync = 5,
                     adios2_step_append = 0;
inline constexpr int adios2_string = 0, adios2_double = 2;
int adios2_type(element_type type) noexcept;

/// NEARFAR_ADIOS2 names the library where the loader does not find libadios2_c.so by itself. Without it no call is
/// there. Looked for once.
const adios2_calls& adios2_found();

}  // namespace nearfar::output
