// SPDX-License-Identifier: BSD-3-Clause
// A transposition to be measured: the whole grid of double complex numbers, from one decomposition and order of memory
// to another.
#pragma once

#include <array>
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
  nearfar::index_t points = 64;
  bool is_pencil = false;
};

/// The sides of a case. Slab: cut along axis 0 in the order (0, 1, 2), to cut along axis 2 in the order (2, 1, 0): the
/// axis that was cut is contiguous then. Pencil: axis 2 whole and contiguous, to axis 1 whole and contiguous.
struct transpose_sides {
  nearfar::transpose_side from, to, natural_to;  ///< natural_to: the same boxes in the order (0, 1, 2)
  transpose_sides(const nearfar::team& members, const transpose_case& c);
  transpose_sides(nearfar::transpose_side before, nearfar::transpose_side after);
};

/// Parts of the two axes that pencils cut: as square as the ranks allow, the first not above the second.
std::array<int, 2> process_grid(int ranks);

inline std::size_t own_elements_of(const nearfar::transpose_side& side) {
  return static_cast<std::size_t>(nearfar::shape_of(side).elements);
}

/// One method of carrying it out, on arrays of its own, between sides of the case or such that a peer likes better.
class transpose_method {
 public:
  transpose_method(nearfar::transpose_side from, nearfar::transpose_side to)
      : from_(std::move(from)), to_(std::move(to)) {}
  virtual ~transpose_method() = default;
  virtual void run() = 0;
  virtual element* in() = 0;
  virtual element* out() = 0;
  virtual bool is_transposed() const { return true; }  ///< else the bytes are only copied, and
  virtual bool is_copied() { return true; }            ///< says whether they are
  virtual std::string choice() const { return ""; }
  const nearfar::transpose_side& from() const { return from_; }
  const nearfar::transpose_side& to() const { return to_; }

 private:
  nearfar::transpose_side from_, to_;
};

using transpose_method_ptr = std::unique_ptr<transpose_method>;

/// The plain methods: mpi-alltoallv (pack, MPI_Alltoallv, unpack, no change of order: what 2DECOMP&FFT does),
/// mpi-alltoallv-permuted (its unpacking changes the order), mpi-alltoallw (subarrays, no change of order: what
/// mpi4py-fft does).
std::vector<std::string> plain_methods();
transpose_method_ptr make_plain(const std::string& name, MPI_Comm comm, const transpose_sides& sides);

/// What bounds a transposition: one read and one write per element, all ranks at once, without any change of order.
/// `copy-own` between arrays of the rank's own; `copy-near` of every near rank's share of its array in near memory to
/// this rank's, as many bytes as the transposition has from it; on one node only. Both by memcpy, and -past-caches by
/// the stores of the library's kernels. What is copied is not zero: lines of zeros go past the caches in 0.57 of the
/// time on AMD's fifth generation.
std::vector<std::string> bounds();
transpose_method_ptr make_bound(const std::string& name, const transpose_sides& sides);

}  // namespace bench
