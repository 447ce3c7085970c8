// SPDX-License-Identifier: BSD-3-Clause
// FFTW's own distributed transforms of cubes, planned by measuring.
#include <fftw3-mpi.h>

#include <stdexcept>

#include "fft_peers.hpp"

namespace bench {

namespace {

/// Its distributed part, from the first plan to the last: programs that call fftw_cleanup (2DECOMP&FFT does) take it
/// away unnoticed.
class fftw_library {
 public:
  fftw_library() { fftw_mpi_init(); }
  ~fftw_library() { fftw_mpi_cleanup(); }
  fftw_library(const fftw_library&) = delete;
  fftw_library& operator=(const fftw_library&) = delete;
};
using fftw_library_ptr = std::shared_ptr<fftw_library>;

class fftw_method : public fft_method {
 public:
  fftw_method(fftw_library_ptr library, const fft_cube& c, bool is_transposed)
      : library_(std::move(library)), what_(c) {
    const ptrdiff_t n = c.points, m = c.is_real ? n / 2 + 1 : n;
    ptrdiff_t start = 0, transposed_planes = 0, transposed_start = 0;
    const ptrdiff_t elements = fftw_mpi_local_size_3d_transposed(n, n, m, MPI_COMM_WORLD, &planes_, &start,
                                                                 &transposed_planes, &transposed_start);
    in_ = fftw_alloc_real(static_cast<std::size_t>(2 * elements));
    out_ = fftw_alloc_complex(static_cast<std::size_t>(elements));
    make_plans(n, FFTW_MEASURE | (is_transposed ? FFTW_MPI_TRANSPOSED_OUT : 0U),
               FFTW_MEASURE | (is_transposed ? FFTW_MPI_TRANSPOSED_IN : 0U));
    if (there_ == nullptr || back_ == nullptr) throw std::runtime_error("FFTW made no plan");
  }
  ~fftw_method() override {
    fftw_destroy_plan(there_);
    fftw_destroy_plan(back_);
    fftw_free(in_);
    fftw_free(out_);
  }
  fftw_method(const fftw_method&) = delete;
  fftw_method& operator=(const fftw_method&) = delete;

  void run() override { fftw_execute(there_), fftw_execute(back_); }
  rows_of_reals physical() override {
    const nearfar::index_t n = what_.points, row = what_.is_real ? n : 2 * n;
    return {in_, planes_ * n, row, what_.is_real ? 2 * (n / 2 + 1) : row};
  }
  std::complex<double> forward_constant() override {
    fftw_execute(there_);
    return {out_[0][0], out_[0][1]};
  }

 private:
  void make_plans(ptrdiff_t n, unsigned there, unsigned back) {
    auto* const complex_in = reinterpret_cast<fftw_complex*>(in_);
    if (what_.is_real) {
      there_ = fftw_mpi_plan_dft_r2c_3d(n, n, n, in_, out_, MPI_COMM_WORLD, there);
      back_ = fftw_mpi_plan_dft_c2r_3d(n, n, n, out_, in_, MPI_COMM_WORLD, back);
    } else {
      there_ = fftw_mpi_plan_dft_3d(n, n, n, complex_in, out_, MPI_COMM_WORLD, FFTW_FORWARD, there);
      back_ = fftw_mpi_plan_dft_3d(n, n, n, out_, complex_in, MPI_COMM_WORLD, FFTW_BACKWARD, back);
    }
  }

  fftw_library_ptr library_;
  fft_cube what_;
  ptrdiff_t planes_ = 0;
  double* in_ = nullptr;
  fftw_complex* out_ = nullptr;
  fftw_plan there_ = nullptr, back_ = nullptr;
};

}  // namespace

std::vector<fft_entry> fftw_fft_methods(const fft_cube& what) {
  const auto library = std::make_shared<fftw_library>();
  const auto method = [library, what](bool is_transposed) {
    return [library, what, is_transposed] { return std::make_unique<fftw_method>(library, what, is_transposed); };
  };
  return {{"peer-fftw", false, method(true)}, {"peer-fftw-natural", false, method(false)}};
}

}  // namespace bench
