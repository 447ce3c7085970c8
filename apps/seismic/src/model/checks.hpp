// SPDX-License-Identifier: BSD-3-Clause
// Whether a medium can be computed, and what of it limits the time step and the wavelet.
#pragma once

#include <array>
#include <grid/grid.hpp>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace seismic {

/// A rank's box of a medium, z slowest, x contiguous; spans that are empty: the property is 0.
struct medium_values {
  std::span<const float> vp, vs, epsilon;
  std::span<float> delta;
  std::span<const float> tilt, azimuth;
};

struct model_rules {
  bool needs_real_coupling = false;  ///< epsilon >= delta: the self-adjoint system
  bool clamps = false;               ///< if so, delta is lowered to epsilon instead of a refusal
};

enum class cell_fault : std::int32_t { none, not_finite, vp, vs, epsilon, delta, coupling };

/// What ranks found; plain data, which MPI can carry as bytes. Sums and extremes of ranks: merge().
struct model_facts {
  std::int64_t cells = 0;    ///< looked at
  std::int64_t clamped = 0;  ///< whose delta was lowered
  double most_lowered = 0;   ///< by so much at most
  /// Cells in which fields of Fletcher's system grow exponentially: delta is above epsilon, and vs too small. In
  /// multiples of vp it would have to be this at least.
  std::int64_t growing = 0;
  double least_vs_share = 0;
  double least_vp = std::numeric_limits<double>::infinity(), most_vp = 0, most_vs = 0;
  double least_vs = std::numeric_limits<double>::infinity();  ///< of cells with vs > 0; infinite: none
  /// vp sqrt(1 + 2 min(0, epsilon, delta)) and vp sqrt(1 + 2 max(0, epsilon, delta)): bounds of P waves in any
  /// direction.
  double slowest_p = std::numeric_limits<double>::infinity(), fastest_p = 0;

  /// The first cell that cannot be, in the order of the grid.
  cell_fault fault = cell_fault::none;
  std::int32_t property = 0;  ///< of not_finite: the property_kind
  std::array<std::int64_t, 3> at{};
  double value = 0, limit = 0;

  void merge(const model_facts& other);
};

/// Looks at all cells of a box, and clamps delta if the rules say so. Local.
model_facts examine(const medium_values& medium, const nearfar::box& where, const model_rules& rules);

/// "vp.rsf: vp = -3 m/s in cell (x, y, z) = (7, 0, 2), at 70, 0, 20 m: it must be above 0 and at most 20000 m/s". Empty
/// if there is no fault.
/// @param names  of the six properties, for messages: property::name()
std::string fault_text(const model_facts& facts, const grid& all, const std::array<std::string, 6>& names);

/// The highest frequency that has so many points in the shortest wave.
double largest_frequency_hz(const model_facts& facts, const grid& all, double points_per_wavelength);

/// Points in the shortest wave of P at that frequency.
double points_per_wavelength(const model_facts& facts, const grid& all, double frequency_hz);

/// What is to be said if the grid has fewer points in the shortest wave than `least`: with the largest good frequency
/// and spacing. Else empty.
/// @param highest_hz  up to which the wavelet has energy: wavelet::highest_frequency_hz()
/// @param peak_hz     of the wavelet, which is to be lowered in proportion
/// @returns           with unit_text(), where there is one
std::string coarseness_text(const model_facts& facts, const grid& all, double highest_hz, double peak_hz, double least);

/// Rock and water have P waves of 300 to 9000 m/s: much slower ones are probably in km/s. Empty: they are not slow.
std::string unit_text(const model_facts& facts);

}  // namespace seismic
