// SPDX-License-Identifier: BSD-3-Clause
// Transforms of cubes by 2DECOMP&FFT between slabs: z is cut, then y; the order of memory stays.
#include "decomp2d_grid.hpp"
#include "fft_peers.hpp"

extern "C" {
void bench_decomp2d_open_fft();
void bench_decomp2d_close_fft();
int bench_decomp2d_real_spectrum_size();
void bench_decomp2d_complex_fft(double* physical, std::complex<double>* spectral, int is_backward);
void bench_decomp2d_real_fft(double* physical, std::complex<double>* spectral, int is_backward);
}

namespace bench {

namespace {

/// The grid and its plans, in the order in which they must come and go.
class planned_grid : private decomp2d_grid {
 public:
  planned_grid(nearfar::index_t points, int ranks) : decomp2d_grid(points, 1, ranks) { bench_decomp2d_open_fft(); }
  ~planned_grid() { bench_decomp2d_close_fft(); }
  planned_grid(const planned_grid&) = delete;
  planned_grid& operator=(const planned_grid&) = delete;
};

class decomp2d_method : private planned_grid, public fft_method {
 public:
  decomp2d_method(int ranks, const fft_cube& what)
      : planned_grid(what.points, ranks),
        transform_(what.is_real ? bench_decomp2d_real_fft : bench_decomp2d_complex_fft),
        reals_(decomp2d_part(1).cells() * (what.is_real ? 1 : 2)),
        physical_(static_cast<std::size_t>(reals_)),
        spectral_(
            static_cast<std::size_t>(what.is_real ? bench_decomp2d_real_spectrum_size() : decomp2d_part(3).cells())) {}
  void run() override { transform(false), transform(true); }
  rows_of_reals physical() override { return {physical_.data(), 1, reals_, reals_}; }
  std::complex<double> forward_constant() override {
    transform(false);
    return spectral_.front();
  }

 private:
  void transform(bool is_backward) { transform_(physical_.data(), spectral_.data(), is_backward ? 1 : 0); }

  void (*transform_)(double*, std::complex<double>*, int);
  nearfar::index_t reals_;
  std::vector<double> physical_;
  std::vector<std::complex<double>> spectral_;
};

}  // namespace

std::vector<fft_entry> decomp2d_fft_methods(const nearfar::team& members, const fft_cube& what) {
  return {{"peer-2decomp", false,
           [ranks = members.size(), what] { return std::make_unique<decomp2d_method>(ranks, what); }}};
}

}  // namespace bench
