// SPDX-License-Identifier: BSD-3-Clause
// Transforms of a cube, forward and then backward, in double precision: the methods that are measured against each
// other.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <nearfar/fft.hpp>
#include <string>
#include <vector>

namespace bench {

struct fft_cube {
  nearfar::index_t points = 64;
  bool is_real = false;
};

/// Real numbers in rows (complex ones are two each); all zero where a rank has none.
struct rows_of_reals {
  double* first = nullptr;
  nearfar::index_t count = 0, length = 0, stride = 0;
};

/// One method, on arrays of its own; the physical grid and the spectrum may be distributed as it likes.
class fft_method {
 public:
  virtual ~fft_method() = default;
  virtual void run() = 0;  ///< forward, then backward: physical numbers times points^3
  virtual rows_of_reals physical() = 0;
  virtual std::complex<double> forward_constant() = 0;  ///< forward alone; on rank 0 the coefficient of wave number 0
  virtual std::string choice() const { return ""; }
};

/// A name for the table, and how the method is made (collectively); null where it cannot be had here.
struct fft_entry {
  std::string name;
  bool is_tuned = false;
  std::function<std::unique_ptr<fft_method>()> make;
};

/// Our own plans: tuned with our engine, with engines raced, without and with fused stages, with FFTW as serial engine,
/// and one rank alone.
std::vector<fft_entry> own_fft_methods(const nearfar::team& members, const fft_cube& what, double tune_s);

}  // namespace bench
