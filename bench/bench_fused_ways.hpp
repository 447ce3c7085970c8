// SPDX-License-Identifier: BSD-3-Clause
// Three-dimensional transforms of a cube between slabs, forward (axis 0 cut to axis 1 cut) and backward.
#pragma once

#include <complex>
#include <memory>
#include <nearfar/transpose.hpp>
#include <string>

namespace bench {

using element = std::complex<double>;

struct cube {
  nearfar::index points = 64;
  bool is_real = false;
};

/// One way of carrying it out, on arrays of its own.
class cube_way {
 public:
  virtual ~cube_way() = default;
  virtual void forward() = 0;
  virtual void backward() = 0;
  virtual double* physical() = 0;          ///< this rank's planes of axis 0, contiguous but for `row_reals`
  virtual nearfar::index row_reals() = 0;  ///< from one row to the next, in reals
  virtual element* spectral() = 0;         ///< the coefficient of wave number 0 is the first of rank 0
  virtual std::string choice() const { return ""; }
};

std::unique_ptr<cube_way> make_fused(const nearfar::team& members, const cube& what, const std::string& method);
/// transpose_plan, and serial plans of the own engine before and after.
std::unique_ptr<cube_way> make_in_turn(const nearfar::team& members, const cube& what);
#ifdef NEARFAR_BENCH_FFTW_MPI
/// FFTW's own, measured, its output transposed.
std::unique_ptr<cube_way> make_fftw_mpi(const cube& what);
#endif

}  // namespace bench
