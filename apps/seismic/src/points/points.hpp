// SPDX-License-Identifier: BSD-3-Clause
// Sources and receivers anywhere between the points of a grid, and how they act on a rank's part of a field.
#pragma once

#include <array>
#include <grid/grid.hpp>
#include <span>
#include <string_view>

namespace seismic {

/// A point of the ground, metres: z, y, x.
using position = std::array<double, 3>;

inline constexpr int most_half_width = 10;

/// How a point is spread over the grid.
struct spreading {
  int half_width = 4;    ///< grid spacings, 1 to most_half_width
  double window = 6.31;  ///< Kaiser's b: see usual_window()
  /// The pressure above the plane z = 0 (index) is minus that below: weights that would lie there are taken from their
  /// images.
  bool has_free_surface = false;
};

/// The best b for wavelengths of at least four spacings, for sources of volume. @source Hicks 2002, Geophysics 67, 156,
/// table 1
double usual_window(int half_width);

/// Weights of a point: the product of three short rows, that of cell (k, j, i) being along[z][k - first[z]] *
/// along[y][j - first[y]] * along[x][i - first[x]]. Rows hold no cell outside the grid; where the point lies on a grid
/// point along a dimension, that row is a single 1.
struct point_weights {
  std::array<index_t, 3> first{};
  std::array<int, 3> counts{};
  std::array<std::array<double, 2 * most_half_width>, 3> along{};

  nearfar::box support() const noexcept;
};

/// Weights of cells that lie outside the grid are left out: absorbing layers keep points away from there.
/// @param from  the part of the grid, as a box of its points, in which a point may lie: without absorbing layers
/// @param what  "source 2": for messages
/// @throws nearfar::usage_error  outside, with the range in metres
point_weights weights_of(const position& where, const grid& all, const nearfar::box& from, const spreading& how,
                         std::string_view what);

/// So many points to each side that a derivative at a point takes: 13 where the point lies on a grid point along the
/// dimension, else 12.
inline constexpr int slope_half_width = 6;

/// Likewise weights of the derivative along d, per metre: a row of its own along d, and those of weights_of() along the
/// others. Relative errors of waves of four points and more are below 1e-3, of three points 3 %. Near an end of the
/// grid the row lies to one side: errors are below 1e-2 from one spacing on, and below 3 % at the end itself.
/// @throws nearfar::usage_error  also where the grid has fewer points along d than a row
point_weights slope_weights_of(const position& where, const grid& all, const nearfar::box& from, const spreading& how,
                               dimension d, std::string_view what);

/// A rank's part of a field: `data` is that of the cell cells.lower; strides in elements, along z, y, x.
template <class T>
struct field_part {
  T* data = nullptr;
  std::array<index_t, 3> strides{};
  nearfar::box cells{3};

  T& at(index_t k, index_t j, index_t i) const noexcept {
    return data[(k - cells.lower[0]) * strides[0] + (j - cells.lower[1]) * strides[1] +
                (i - cells.lower[2]) * strides[2]];
  }
};

/// Calls act(k, j, i, weight) for the cells of a point that lie in `cells`, in a fixed order.
template <class Act>
void for_each_weight(const point_weights& point, const nearfar::box& cells, const Act& act) {
  const nearfar::box both = intersection(point.support(), cells);
  const auto weight = [&](std::size_t d, index_t i) {
    return point.along[d][static_cast<std::size_t>(i - point.first[d])];
  };
  for (index_t k = both.lower[0]; k < both.upper[0]; ++k)
    for (index_t j = both.lower[1]; j < both.upper[1]; ++j)
      for (index_t i = both.lower[2]; i < both.upper[2]; ++i) act(k, j, i, weight(0, k) * weight(1, j) * weight(2, i));
}

/// Adds value * weight to the cells. Products and sums are rounded once, to T.
template <class T>
void inject(const field_part<T>& into, const point_weights& point, double value) {
  for_each_weight(point, into.cells, [&](index_t k, index_t j, index_t i, double w) {
    T& cell = into.at(k, j, i);
    cell = static_cast<T>(static_cast<double>(cell) + w * value);
  });
}

/// Likewise value * weight * factor of the cell: dt^2 vp^2, say. `factors` covers the cells of `into`.
template <class T>
void inject(const field_part<T>& into, const field_part<const T>& factors, const point_weights& point, double value) {
  for_each_weight(point, into.cells, [&](index_t k, index_t j, index_t i, double w) {
    T& cell = into.at(k, j, i);
    cell = static_cast<T>(static_cast<double>(cell) + w * value * static_cast<double>(factors.at(k, j, i)));
  });
}

/// The transpose of inject(): the sum of weight * value over the cells of this part, in double. Ranks' results are to
/// be added.
template <class T>
double read(const field_part<const T>& from, const point_weights& point) {
  double sum = 0;
  for_each_weight(point, from.cells,
                  [&](index_t k, index_t j, index_t i, double w) { sum += w * static_cast<double>(from.at(k, j, i)); });
  return sum;
}

}  // namespace seismic
