// SPDX-License-Identifier: BSD-3-Clause
// Transforms of cubes by dtFFT between slabs, with FFTW as its serial engine.
#include <algorithm>

#include "dtfft_grid.hpp"
#include "fft_peers.hpp"

namespace bench {

namespace {

class dtfft_method : private dtfft_grid, public fft_method {
 public:
  dtfft_method(int ranks, const fft_cube& what, bool is_tuned)
      : dtfft_grid({1, 1, ranks}, is_tuned,
                   [&](MPI_Comm grid, dtfft_effort_t effort, dtfft_plan_t* plan) {
                     const auto n = static_cast<int32_t>(what.points);
                     const int32_t extents[3] = {n, n, n};
                     const auto create = what.is_real ? dtfft_create_plan_r2c : dtfft_create_plan_c2c;
                     return create(3, extents, grid, DTFFT_DOUBLE, effort, DTFFT_EXECUTOR_FFTW3, plan);
                   }),
        is_real_(what.is_real),
        in_(*this, array_bytes()),
        out_(*this, array_bytes()),
        work_(*this, std::max(array_bytes(), bytes(dtfft_get_aux_bytes))) {}

  void run() override {
    execute(in_, out_, DTFFT_EXECUTE_FORWARD);
    execute(out_, in_, DTFFT_EXECUTE_BACKWARD);
  }
  rows_of_reals physical() override {
    int32_t starts[3], counts[3];
    std::size_t capacity = 0;
    check_dtfft(dtfft_get_local_sizes(get(), starts, counts, nullptr, nullptr, &capacity), "dtfft_get_local_sizes");
    const nearfar::index_t row = counts[0] * (is_real_ ? 1 : 2);
    return {static_cast<double*>(in_.data()), nearfar::index_t{counts[1]} * counts[2], row, row};
  }
  std::complex<double> forward_constant() override {
    execute(in_, out_, DTFFT_EXECUTE_FORWARD);
    return *static_cast<std::complex<double>*>(out_.data());
  }
  std::string choice() const override { return backend(); }

 private:
  void execute(const dtfft_array& from, const dtfft_array& to, dtfft_execute_t direction) const {
    check_dtfft(dtfft_execute(get(), from.data(), to.data(), direction, work_.data()), "dtfft_execute");
  }
  bool is_real_;
  dtfft_array in_, out_, work_;
};

}  // namespace

std::vector<fft_entry> dtfft_fft_methods(const nearfar::team& members, const fft_cube& what) {
  const auto method = [ranks = members.size(), what](bool is_tuned) {
    return [ranks, what, is_tuned] { return std::make_unique<dtfft_method>(ranks, what, is_tuned); };
  };
  return {{"peer-dtfft", false, method(false)}, {"peer-dtfft-tuned", false, method(true)}};
}

}  // namespace bench
