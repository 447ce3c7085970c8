// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <spectral/transforms.hpp>

namespace turbulence {
namespace {

nearfar::fft_plan<double> plan_for(const space& on, const std::string& engine, index_t fields) {
  const real_fields physical(on.layout().physical(), fields);
  const mode_fields spectral(on.layout().spectral(), fields);
  nearfar::fft_options how;
  how.name = fields == 1 ? "scalar" : "velocity";
  how.fields = fields, how.nyquist = nearfar::fft_nyquist::zero;
  how.engines = {engine};
  return {on.layout(), physical, spectral, how};
}

}  // namespace

transforms::transforms(const space& on, const std::string& engine, bool has_scalar) : on_(on) {
  three_.emplace(plan_for(on, engine, 3));
  if (has_scalar) one_.emplace(plan_for(on, engine, 1));
}

nearfar::fft_plan<double>& transforms::plan_of(std::size_t fields) { return fields == 1 ? *one_ : *three_; }

void transforms::backward(const mode_fields& from, const real_fields& to) {
  const double begin = MPI_Wtime();
  plan_of(from.fields()).backward(from, to);
  seconds_ += MPI_Wtime() - begin, fields_ += static_cast<double>(from.fields());
}

void transforms::forward(const real_fields& from, const mode_fields& to) {
  const double begin = MPI_Wtime();
  plan_of(from.fields()).forward(from, to);
  // A plan's own scaling comes after the first or after the last of its stages, as the ranks lie: its rounding would
  // depend on their number.
  const double factor = 1 / nearfar::roundtrip_factor(on_.layout().shape());
  for (std::size_t f = 0; f < to.fields(); ++f)
    on_.for_modes([factor, field = to.data(f)](const mode& m) { field[m.at] *= factor; });
  seconds_ += MPI_Wtime() - begin, fields_ += static_cast<double>(from.fields());
}

double transforms::alone_s(const mode_fields& modes, const real_fields& points) {
  constexpr int pairs = 3;
  double least = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const double before_s = seconds_, before = fields_;
    backward(modes, points), forward(points, modes);
    const double taken = (seconds_ - before_s) / (fields_ - before);
    least = pair == 0 ? taken : std::min(least, taken);
  }
  return least;
}

}  // namespace turbulence
