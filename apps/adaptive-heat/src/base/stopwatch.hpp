// SPDX-License-Identifier: BSD-3-Clause
// Seconds of one piece of work after the other.
#pragma once

#include <nearfar/mpi.hpp>
#include <utility>

namespace adaptive_heat {

class stopwatch {
 public:
  /// Since the last call, or the beginning.
  double lap() noexcept {
    const double now = MPI_Wtime();
    return now - std::exchange(last_, now);
  }

 private:
  double last_ = MPI_Wtime();
};

}  // namespace adaptive_heat
