// SPDX-License-Identifier: BSD-3-Clause
#include <spectral/transforms.hpp>

namespace turbulence {
namespace {

nearfar::fft_plan<double> plan_for(const space& on, const std::string& engine, index_t fields) {
  const real_fields physical(on.layout().physical(), fields);
  const mode_fields spectral(on.layout().spectral(), fields);
  nearfar::fft_options how;
  how.name = fields == 1 ? "scalar" : "velocity";
  how.fields = fields, how.scaling = nearfar::fft_scaling::forward, how.nyquist = nearfar::fft_nyquist::zero;
  how.engines = {engine};
  return {on.layout(), physical, spectral, how};
}

}  // namespace

transforms::transforms(const space& on, const std::string& engine, bool has_scalar) {
  three_.emplace(plan_for(on, engine, 3));
  if (has_scalar) one_.emplace(plan_for(on, engine, 1));
}

nearfar::fft_plan<double>& transforms::plan_of(std::size_t fields) { return fields == 1 ? *one_ : *three_; }

void transforms::backward(const mode_fields& from, const real_fields& to) {
  const double begin = MPI_Wtime();
  plan_of(from.fields()).backward(from, to);
  seconds_ += MPI_Wtime() - begin;
}

void transforms::forward(const real_fields& from, const mode_fields& to) {
  const double begin = MPI_Wtime();
  plan_of(from.fields()).forward(from, to);
  seconds_ += MPI_Wtime() - begin;
}

}  // namespace turbulence
