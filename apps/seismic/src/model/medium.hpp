// SPDX-License-Identifier: BSD-3-Clause
// What waves travel in: the properties of a medium, and what the kernels make of them.
#pragma once

#include <kernels/kernels.hpp>
#include <memory/huge_array.hpp>
#include <memory>
#include <model/property.hpp>
#include <utility>
#include <vector>

namespace seismic {

/// Properties that the system does not need may be null: they count as zero.
struct medium {
  std::array<std::shared_ptr<const property>, 6> properties;  ///< by property_kind

  const property* of(property_kind kind) const { return properties[static_cast<std::size_t>(kind)].get(); }
  void set(property_kind kind, std::shared_ptr<const property> p) {
    properties[static_cast<std::size_t>(kind)] = std::move(p);
  }
};

/// What couples the self-adjoint system's second field to its neighbours, at a point: 1 - f across the axis, 1 - f + g
/// along it (kernels/self_adjoint_loops.hpp).
std::pair<double, double> couplings(double vp, double vs, double epsilon, double delta);

/// Largest w such that -w^2 bounds the spectrum of a system's right-hand side, per cell and over all: leap-frog is
/// stable for dt <= 2 / w.
struct stability {
  double largest_rate = 0;  ///< 1/s; w
  double stable_dt() const { return 2 / largest_rate; }
};

/// The coefficients of a system on a tile. What multiplies the right-hand side is zero around the tile: nothing moves
/// there. Other coefficients have values there where the system needs them: those across the sides of a grid that
/// repeats, else those of the nearest point of the grid.
class coefficients {
 public:
  coefficients() = default;
  /// Local; reads all properties row by row. @throws what reading does
  coefficients(system_kind system, const medium& of, const grid& points, const nearfar::box& own,
               const tile_shape& shape, bool repeats, int threads);
  /// What multiplies the right-hand side is from now on multiplied by dt^2. Once.
  void take_in(double dt_s, int threads);

  /// Of own point (0, 0, 0), for step_arguments.
  std::array<const float*, most_coefficients> pointers() const;
  /// Of own points, by the values at each: the exact bound of a homogeneous medium of them.
  /// @source for Fletcher's: the symbol of the scheme at the shortest waves
  stability bound() const { return bound_; }
  /// Of the self-adjoint system's second field, of own points: the least 1 - f, and the most 1 - f + g
  /// (self_adjoint_loops.hpp).
  double least_coupling() const { return least_coupling_; }
  double most_coupling() const { return most_coupling_; }
  double fastest_m_s() const { return fastest_; }  ///< vp (1 + 2 epsilon)^(1/2), of own cells

 private:
  void add_diagonals(const grid& points, int threads);

  std::vector<huge_array> arrays_;
  tile_shape shape_;
  std::size_t rates_ = 0;  ///< so many arrays, the first ones, multiply the right-hand side
  stability bound_;
  double fastest_ = 0, least_coupling_ = 1, most_coupling_ = 0;
};

}  // namespace seismic
