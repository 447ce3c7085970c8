// SPDX-License-Identifier: BSD-3-Clause
// A density in a periodic box is blurred with weights 1, 2, 1 along each axis: a product of coefficients and weights.
#include <cmath>
#include <complex>
#include <cstdio>
#include <nearfar/nearfar.hpp>
#include <numbers>

using nearfar::index_t;
constexpr index_t nx = 48, ny = 40, nz = 36;

/// What weights 1, 2, 1 do to mode k of an axis of n points.
double weight(index_t k, index_t n) {
  return 2 + 2 * std::cos(2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
}

int main(int argc, char** argv) {
  nearfar::runtime mpi{argc, argv};
  nearfar::team team = mpi.world();

  // [plan]
  nearfar::fft_plan<double> plan({team, nearfar::fft_shape::real({nz, ny, nx})},  // x goes from real to complex
                                 {.name = "blur", .scaling = nearfar::fft_scaling::backward});
  const auto u = plan.physical<double>();  // own parts of points and modes, in near memory
  const auto uh = plan.spectral<std::complex<double>>();
  // [plan]

  const nearfar::box own = plan.layout().physical().parts.own(), kept = plan.layout().spectral().parts.own();
  nearfar::for_each(own, [&](index_t k, index_t j, index_t i) {
    u(k, j, i) = static_cast<double>((i * i * 7 + j * 13 + k * 29) % 101);
  });

  // [transform]
  plan.run(nearfar::fft_direction::forward);
  nearfar::for_each(
      kept, [&](index_t k, index_t j, index_t i) { uh(k, j, i) *= weight(k, nz) * weight(j, ny) * weight(i, nx); });
  plan.run(nearfar::fft_direction::backward);
  // [transform]

  std::int64_t sum = 0;  // of integers but for rounding
  nearfar::for_each(
      own, [&](index_t k, index_t j, index_t i) { sum += (1 + (i + 2 * j + 3 * k) % 97) * std::llround(u(k, j, i)); });
  const std::int64_t checksum = nearfar::allreduce(team, sum, nearfar::reduce_op::sum);
  if (team.is_root()) std::printf("blur: checksum %lld\n", static_cast<long long>(checksum));
}
