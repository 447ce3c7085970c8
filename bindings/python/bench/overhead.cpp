// SPDX-License-Identifier: BSD-3-Clause
// What overhead.py measures, in C++: microseconds of start and finish, and milliseconds of a transform of 128^3 and
// back.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <ctime>
#include <nearfar/nearfar.hpp>
#include <vector>

namespace {

using nearfar::index_t;

/// Of this process: those of others do not count, and on one rank nothing waits.
double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds of `act` in the fastest of `bursts` bursts of `often` calls each: what others do on the machine only adds.
template <class Act>
double least_seconds(int bursts, int often, const Act& act) {
  std::vector<double> each;
  for (int i = 0; i < bursts; ++i) {
    const double begin = processor_seconds();
    for (int k = 0; k < often; ++k) act();
    each.push_back((processor_seconds() - begin) / often);
  }
  return *std::min_element(each.begin(), each.end());
}

}  // namespace

int main(int argc, char** argv) {
  nearfar::runtime mpi{argc, argv};
  nearfar::team team = mpi.world();
  nearfar::grid grid{team, {8, 8, 8}, {.periodic = {true, true, true}}};
  nearfar::field<double> t{grid, {.ghosts = 1}};
  nearfar::halo_plan halo{t, {.budget_s = nearfar::no_tuning}};
  const double exchange = least_seconds(100, 2000, [&] {
    halo.start();
    halo.finish();
  });
  const nearfar::fft_layout layout(team, nearfar::fft_shape::complex({128, 128, 128}));
  const nearfar::transpose_array<std::complex<double>> u(layout.physical()), s(layout.spectral());
  nearfar::fft_plan<double> plan(layout, u, s, {.budget_s = nearfar::no_tuning});
  const double transform = least_seconds(30, 1, [&] {
    plan.forward(u, s);
    plan.backward(s, u);
  });
  if (team.is_root())
    std::printf("start and finish %.2f us, 128^3 forward and backward %.2f ms\n", exchange * 1e6, transform * 1e3);
}
