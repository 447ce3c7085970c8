// SPDX-License-Identifier: BSD-3-Clause
// Transforms by other libraries, each on the decomposition and arrays that it likes best for a cube.
#pragma once

#include "../bench_fft_methods.hpp"

namespace bench {

/// decomp_2d_fft_3d between slabs; the serial engine is the one that the library was compiled with.
std::vector<fft_entry> decomp2d_fft_methods(const nearfar::team& members, const fft_cube& what);
/// FFTW's own distributed transforms, planned with FFTW_MEASURE: output transposed, and output as the input.
std::vector<fft_entry> fftw_fft_methods(const fft_cube& what);
/// dtfft_execute with FFTW: as it comes, and with a plan that has tried all its backends and kernels.
std::vector<fft_entry> dtfft_fft_methods(const nearfar::team& members, const fft_cube& what);

}  // namespace bench
