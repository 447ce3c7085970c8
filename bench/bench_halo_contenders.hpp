// SPDX-License-Identifier: BSD-3-Clause
// Turns a halo case into contenders for the measuring loop.
#pragma once

#include <memory>
#include <nearfar/nearfar.hpp>

#include "bench_halo_exchanger.hpp"
#include "harness/measure.hpp"
#include "harness/options.hpp"

namespace bench {

struct surroundings {
  MPI_Comm comm;  ///< for the MPI variants and the harness
  nearfar::team members;
  options how;
};

/// A case made ready: all arrays and contenders, which refer to them.
class prepared_case {
 public:
  virtual ~prepared_case() = default;
  subject what;
  std::vector<contender> contenders;
};

/// Allocates and sets up everything. Collective.
std::unique_ptr<prepared_case> prepare(const surroundings& here, const halo_case& c);

}  // namespace bench
