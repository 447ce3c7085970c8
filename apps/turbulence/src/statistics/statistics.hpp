// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a flow, each an exact sum rounded once: the same bits for any number of ranks.
#pragma once

#include <solver/flow.hpp>
#include <string_view>
#include <vector>

namespace turbulence {

/// Means over the box, per mass.
struct flow_numbers {
  double energy = 0;                ///< u u / 2
  std::array<double, 3> squares{};  ///< u^2, v^2, w^2
  double dissipation = 0;           ///< nu w w, w being the vorticity
  double enstrophy = 0;             ///< w w / 2
  double helicity = 0;              ///< u w
  double divergence = 0;            ///< root mean square of div u over that of w
  double skewness = 0;              ///< of du/dx, dv/dy and dw/dz, their mean; 0 where nothing moves
  double taylor_reynolds = 0;       ///< u' lambda / nu of isotropic turbulence; 0 without viscosity
  double integral_length = 0;       ///< 3 pi / (4 E) times the sum of all modes' energy over |k|; 0 at rest
  double resolution = 0;            ///< highest complete |k| times Kolmogorov's length; 0 without viscosity
  double scalar_variance = 0;       ///< c c
};

/// Names of the numbers in their order, and their values.
std::vector<std::string_view> names_of_numbers(bool has_scalar);
std::vector<double> values_of(const flow_numbers& numbers, bool has_scalar);

/// Collective. @cost  a transform of three fields and two passes over all modes
flow_numbers numbers_of(flow& of);

/// Sums over shells of |k|, whose width is 1 (space::shell_width): number n has n - 1/2 <= |k| < n + 1/2.
struct shell_spectra {
  std::vector<double> energy, transfer, dissipation, scalar;  ///< scalar: c c; empty without one
};
/// Collective. @cost  as the rates of a step, and an exact sum per mode and column
shell_spectra spectra_of(flow& of);

}  // namespace turbulence
