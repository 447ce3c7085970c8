// SPDX-License-Identifier: BSD-3-Clause
// A watchdog over blocking calls of MPI, which do not return when a peer or the network is gone.
#pragma once

#include <nearfar/api.hpp>

namespace nearfar {

/// While it lives, the watchdog looks at this thread: after a minute a line on standard error says which call has not
/// returned; after NEARFAR_WATCHDOG seconds (0, the default: never) the process ends with exit status 3. A thread
/// inside MPI can neither be called back nor be made to throw. The library's own waits need none: they throw
/// transport_error. Local, any thread; watches may be nested.
/// @cost  four stores, about 10 ns; one thread per process that sleeps
/// @source ours
class NEARFAR_API mpi_watch {
 public:
  explicit mpi_watch(const char* call) noexcept;  ///< `call` is a string that lives as long as the program
  ~mpi_watch();
  mpi_watch(const mpi_watch&) = delete;
  mpi_watch& operator=(const mpi_watch&) = delete;

 private:
  void* slot_;
  const char* before_;
};

}  // namespace nearfar
