// SPDX-License-Identifier: BSD-3-Clause
// The peer: FFTW's own distributed transforms, planned by measuring, output transposed.
#include <fftw3-mpi.h>

#include <stdexcept>

#include "bench_fused_ways.hpp"

namespace bench {

namespace {

class fftw_way : public cube_way {
 public:
  explicit fftw_way(const cube& c) : what_(c) {
    static const bool is_ready = (fftw_mpi_init(), true);
    static_cast<void>(is_ready);
    const ptrdiff_t n = c.points, m = c.is_real ? n / 2 + 1 : n;
    ptrdiff_t local_n = 0, local_start = 0, local_n1 = 0, local_start1 = 0;
    const ptrdiff_t elements =
        fftw_mpi_local_size_3d_transposed(n, n, m, MPI_COMM_WORLD, &local_n, &local_start, &local_n1, &local_start1);
    in_ = fftw_alloc_real(static_cast<std::size_t>(2 * elements));
    out_ = fftw_alloc_complex(static_cast<std::size_t>(elements));
    auto* const complex_in = reinterpret_cast<fftw_complex*>(in_);
    const unsigned how = FFTW_MEASURE;
    there_ = c.is_real ? fftw_mpi_plan_dft_r2c_3d(n, n, n, in_, out_, MPI_COMM_WORLD, how | FFTW_MPI_TRANSPOSED_OUT)
                       : fftw_mpi_plan_dft_3d(n, n, n, complex_in, out_, MPI_COMM_WORLD, FFTW_FORWARD,
                                              how | FFTW_MPI_TRANSPOSED_OUT);
    back_ = c.is_real ? fftw_mpi_plan_dft_c2r_3d(n, n, n, out_, in_, MPI_COMM_WORLD, how | FFTW_MPI_TRANSPOSED_IN)
                      : fftw_mpi_plan_dft_3d(n, n, n, out_, complex_in, MPI_COMM_WORLD, FFTW_BACKWARD,
                                             how | FFTW_MPI_TRANSPOSED_IN);
    if (there_ == nullptr || back_ == nullptr) throw std::runtime_error("FFTW made no plan");
  }
  ~fftw_way() override {
    fftw_destroy_plan(there_);
    fftw_destroy_plan(back_);
    fftw_free(in_);
    fftw_free(out_);
  }
  fftw_way(const fftw_way&) = delete;
  fftw_way& operator=(const fftw_way&) = delete;
  void forward() override { fftw_execute(there_); }
  void backward() override { fftw_execute(back_); }
  double* physical() override { return in_; }
  nearfar::index row_reals() override { return what_.is_real ? 2 * (what_.points / 2 + 1) : 2 * what_.points; }
  element* spectral() override { return reinterpret_cast<element*>(out_); }

 private:
  cube what_;
  double* in_ = nullptr;
  fftw_complex* out_ = nullptr;
  fftw_plan there_ = nullptr, back_ = nullptr;
};

}  // namespace

std::unique_ptr<cube_way> make_fftw_mpi(const cube& what) { return std::make_unique<fftw_way>(what); }

}  // namespace bench
