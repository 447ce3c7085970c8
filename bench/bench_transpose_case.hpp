// SPDX-License-Identifier: BSD-3-Clause
// A transposition to be measured: the whole grid of double complex numbers, from one decomposition and order of memory to another.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <nearfar/transpose.hpp>
#include <string>
#include <vector>

namespace bench {

using element = std::complex<double>;

struct transpose_case {
  std::string name;
  nearfar::index points = 64;
  bool is_pencil = false;
};

/// The sides of a case. Slab: cut along axis 0 in the order (0, 1, 2), to cut along axis 2 in the order (2, 1, 0): the axis that was cut is
/// contiguous then. Pencil: axis 2 whole and contiguous, to axis 1 whole and contiguous.
struct transpose_sides {
  nearfar::transpose_side from, to, natural_to;  ///< natural_to: the same boxes in the order (0, 1, 2)
  transpose_sides(const nearfar::team& members, const transpose_case& c);
};

/// One way of carrying it out, on arrays of its own.
class transpose_way {
 public:
  virtual ~transpose_way() = default;
  virtual void run() = 0;
  virtual element* in() = 0;
  virtual element* out() = 0;
  virtual bool is_permuted() const { return true; }    ///< out lies as `to` says; else as `natural_to`
  virtual bool is_transposed() const { return true; }  ///< else the bytes are only copied
  virtual std::string choice() const { return ""; }
};

using transpose_way_ptr = std::unique_ptr<transpose_way>;

/// The plain ways: mpi-alltoallv (pack, MPI_Alltoallv, unpack, no change of order: what 2DECOMP&FFT does), mpi-alltoallv-permuted (its unpacking
/// changes the order), mpi-alltoallw (subarrays, no change of order: what mpi4py-fft does), memcpy (one read and one write per element).
std::vector<std::string> plain_ways();
transpose_way_ptr make_plain(const std::string& name, MPI_Comm comm, const transpose_sides& sides);

}  // namespace bench
