// SPDX-License-Identifier: BSD-3-Clause
// The MPI's own functions and objects, looked up at run time: the preloaded library is not linked with any MPI.
#pragma once

#include <atomic>
#include <nearfar/mpi.hpp>
#include <real_mpi_list.hpp>
#include <string>

namespace nearfar::real {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/// real::MPI_Send and so on; null until find_all() has returned true.
#define NEARFAR_DECLARE(name) extern decltype(&::name) name;
NEARFAR_REAL_FUNCTIONS(NEARFAR_DECLARE)
#undef NEARFAR_DECLARE
#pragma GCC diagnostic pop

/// Addresses of Open MPI's predefined objects.
#define NEARFAR_DECLARE(name) extern void* name;
NEARFAR_REAL_OBJECTS(NEARFAR_DECLARE)
#undef NEARFAR_DECLARE

/// Null unless a library behind this one that is not the MPI has the function. Local.
void (*find_in_tool(const char* name) noexcept)();

/// The function of a profiling tool that the program would call by an MPI's name if this library were not there: of a
/// tool that it is linked with, or that stands behind this library in LD_PRELOAD. Looked for at the first call.
template <class Function>
class tool_function {
 public:
  constexpr explicit tool_function(const char* name) : name_(name) {}
  /// Null: there is no tool, or it leaves this function alone. Local, any thread.
  Function get() noexcept {
    if (!is_known_.load(std::memory_order_acquire)) [[unlikely]] {
      found_.store(reinterpret_cast<Function>(find_in_tool(name_)), std::memory_order_relaxed);
      is_known_.store(true, std::memory_order_release);
    }
    return found_.load(std::memory_order_relaxed);
  }

 private:
  const char* name_;
  std::atomic<Function> found_{nullptr};
  std::atomic<bool> is_known_{false};
};

/// Fills all of the above: from the libraries that come after this one, or, where the MPI was loaded privately (as
/// Python does), from any library in the process that has it. A function that this MPI lacks ends the program with its
/// name when it is called. Local; may be called again after it failed.
/// @return "" when all is well; "none" when there is no MPI here (yet); else why the MPI found cannot be used
std::string find_all();

/// Why the MPI that the program is linked with cannot be used; "" where there is none, or it can.
std::string why_foreign();

}  // namespace nearfar::real
