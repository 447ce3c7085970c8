// SPDX-License-Identifier: BSD-3-Clause
// Transpositions by other libraries, each on the decomposition, order of memory and arrays that it likes best for a
// case.
#pragma once

#include <string>
#include <vector>

#include "../bench_transpose_case.hpp"

namespace bench {

/// A name and how to make the method; collective.
struct transpose_peer {
  std::string name;
  transpose_method_ptr (*make)(const nearfar::team& members, const transpose_case& c);
};

/// transpose_x_to_y (pencils) and transpose_y_to_z (slabs).
std::vector<transpose_peer> decomp2d_peers();
/// fftw_mpi_plan_many_transpose, for slabs: lines stay whole, or the axis that was cut becomes contiguous.
std::vector<transpose_peer> fftw_peers(const transpose_case& c);
/// dtfft_transpose as it comes, and with a plan that has tried all its backends and kernels.
std::vector<transpose_peer> dtfft_peers();

}  // namespace bench
