// SPDX-License-Identifier: BSD-3-Clause
// The periodic box: points, the modes that dealiasing keeps, and how this rank's lie in memory.
//
// Axes are z, y, x, slowest first; wave vectors and velocities are x, y, z. Modes that are not kept exist nowhere: the
// transforms neither send nor transform them.
#pragma once

#include <array>
#include <complex>
#include <nearfar/fft.hpp>
#include <nearfar/team.hpp>
#include <vector>

namespace turbulence {

using nearfar::index_t;
using complex = std::complex<double>;

enum class dealiasing_rule {
  two_thirds,    ///< on the grid's own points, modes with 3 |k| < n
  three_halves,  ///< modes with 2 |k| < n, on 3/2 as many points along each axis
  none           ///< modes with 2 |k| < n on the grid's own points: products are aliased
};

struct box_shape {
  std::array<index_t, 3> points{64, 64, 64};  ///< z, y, x; 1: nothing changes along this axis
  std::array<double, 3> lengths{1, 1, 1};     ///< z, y, x, in units of 2 pi
  dealiasing_rule dealiasing = dealiasing_rule::two_thirds;
};

/// Where a mode is and what it stands for.
struct mode {
  index_t at = 0;                  ///< in the array of a field
  std::array<index_t, 3> index{};  ///< global, z, y, x
  std::array<double, 3> k{};       ///< wave vector: x, y, z
  /// Its share of sums over all modes: those with negative k along x are not stored.
  double weight() const { return index[2] == 0 ? 1 : 2; }
  double k2() const { return k[0] * k[0] + k[1] * k[1] + k[2] * k[2]; }
};

class space {
 public:
  /// Collective. @throws nearfar::usage_error  extents that cannot be, on every rank
  space(const nearfar::team& team, const box_shape& shape) : space(team, shape, {}) {}
  /// The same modes in the same places of memory, on as many points as shape() says: with the 3/2 rule fewer.
  /// Collective.
  space on_own_points() const;

  const nearfar::team& team() const { return team_; }
  const box_shape& shape() const { return shape_; }
  const nearfar::fft_layout& layout() const { return layout_; }
  /// Of the physical grid: more than shape().points with the 3/2 rule.
  const std::array<index_t, 3>& points() const { return points_; }
  double spacing(int axis) const;
  /// The highest |k| kept along each axis, z, y, x, in units of the axis' own lowest one.
  const std::array<index_t, 3>& highest() const { return highest_; }
  /// All modes of an axis, in their order in memory.
  const std::vector<double>& waves(int axis) const { return waves_[static_cast<std::size_t>(axis)]; }
  /// The highest |k| of which all directions are there: of the axis with the fewest.
  double highest_complete_wave() const;
  /// Shells of |k| have this width: the lowest wave number of the longest axis.
  double shell_width() const { return shell_width_; }
  index_t shell_of(const mode& m) const;
  index_t shells() const { return shells_; }

  /// body(mode) for this rank's modes, in the order of memory.
  template <class Body>
  void for_modes(const Body& body) const {
    const nearfar::array_shape& in = modes_;
    const auto [a, b, c] = order_;
    mode m;
    for (m.index[a] = own_.lower[a]; m.index[a] < own_.upper[a]; ++m.index[a])
      for (m.index[b] = own_.lower[b]; m.index[b] < own_.upper[b]; ++m.index[b]) {
        m.index[c] = own_.lower[c];
        m.at = in.offset({m.index[0], m.index[1], m.index[2]});
        m.k[2 - a] = waves_[a][static_cast<std::size_t>(m.index[a])];
        m.k[2 - b] = waves_[b][static_cast<std::size_t>(m.index[b])];
        for (; m.index[c] < own_.upper[c]; ++m.index[c], m.at += in.strides[c]) {
          m.k[2 - c] = waves_[c][static_cast<std::size_t>(m.index[c])];
          body(m);
        }
      }
  }
  /// body(place in the array, x, y, z) for this rank's points.
  template <class Body>
  void for_points(const Body& body) const {
    const nearfar::array_shape in = nearfar::shape_of(layout_.physical());
    const nearfar::box& own = layout_.physical().parts.own();
    for (index_t k = own.lower[0]; k < own.upper[0]; ++k)
      for (index_t j = own.lower[1]; j < own.upper[1]; ++j)
        for (index_t i = own.lower[2]; i < own.upper[2]; ++i)
          body(in.offset({k, j, i}), static_cast<double>(i) * spacing(2), static_cast<double>(j) * spacing(1),
               static_cast<double>(k) * spacing(0));
  }

 private:
  space(const nearfar::team& team, const box_shape& shape, const nearfar::fft_layout_options& sides);
  nearfar::team team_;
  box_shape shape_;
  std::array<index_t, 3> points_, highest_;
  nearfar::fft_layout layout_;
  nearfar::array_shape modes_;
  nearfar::box own_;
  std::array<std::size_t, 3> order_{};
  std::array<std::vector<double>, 3> waves_;
  double shell_width_ = 1;
  index_t shells_ = 0;
};

}  // namespace turbulence
