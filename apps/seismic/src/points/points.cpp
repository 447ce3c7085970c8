// SPDX-License-Identifier: BSD-3-Clause
// Rows of weights, one dimension at a time.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nearfar/error.hpp>
#include <numbers>
#include <points/band_weights.hpp>
#include <points/points.hpp>
#include <string>
#include <vector>
#include <wavelet/kaiser.hpp>

namespace seismic {
namespace {

/// In spacings. A point that is meant to be on the grid may miss it by the rounding of its metres.
constexpr double on_grid = 1e-6;

[[noreturn]] void refuse_place(const position& where, const grid& all, const nearfar::box& from, std::size_t d,
                               std::string_view what) {
  const auto metres = [&](index_t i) { return all.origin_m[d] + static_cast<double>(i) * all.spacing_m[d]; };
  char text[240];
  std::snprintf(text, sizeof text,
                " at x = %.6g m, y = %.6g m, z = %.6g m lies outside: its %c must be from %.6g to %.6g m", where[x],
                where[y], where[z], "zyx"[d], metres(from.lower[d]), metres(from.upper[d] - 1));
  throw nearfar::usage_error(std::string(what) + text);
}

void set_row(point_weights& point, std::size_t d, index_t first, std::span<const double> weights) {
  point.first[d] = first, point.counts[d] = static_cast<int>(weights.size());
  std::copy(weights.begin(), weights.end(), point.along[d].begin());
}

/// Weights of the cells `first`, first + 1, ... of which those below 0 are taken to their images, with the other sign.
void fold(index_t& first, std::vector<double>& weights) {
  if (first >= 0) return;
  const auto above = static_cast<std::size_t>(-first);
  // Fewer than half of the cells lie above, as the point does not: each image has a cell.
  for (std::size_t k = 1; k <= above; ++k) weights[above + k] -= weights[above - k];
  weights.erase(weights.begin(), weights.begin() - first);
  first = 0;
}

/// A row of weights from the cell `first` on, of which those beyond the grid are folded or left out.
void set_cut_row(point_weights& point, std::size_t d, index_t first, std::vector<double> weights, index_t count,
                 const spreading& how) {
  if (how.has_free_surface && d == z) fold(first, weights);
  const index_t low = std::max<index_t>(first, 0);
  const index_t high = std::min(first + static_cast<index_t>(weights.size()), count);
  set_row(point, d, low,
          std::span(weights).subspan(static_cast<std::size_t>(low - first), static_cast<std::size_t>(high - low)));
}

void spread(point_weights& point, std::size_t d, double place, index_t count, const spreading& how) {
  const double nearest = std::round(place);
  if (std::abs(place - nearest) < on_grid) return set_row(point, d, static_cast<index_t>(nearest), std::array{1.0});
  const index_t first = static_cast<index_t>(std::floor(place)) - how.half_width + 1;
  std::vector<double> weights;
  for (int n = 0; n < 2 * how.half_width; ++n)
    weights.push_back(kaiser_sinc(static_cast<double>(first + n) - place, how.half_width, how.window));
  set_cut_row(point, d, first, std::move(weights), count, how);
}

/// Of the derivative, for points one apart; the first one is so far from where it is wanted.
std::vector<double> slope_row(double first, bool is_on_grid) {
  constexpr double highest = 0.6 * std::numbers::pi;
  static const band_weights on(2 * slope_half_width + 1, highest), between(2 * slope_half_width, highest);
  return (is_on_grid ? on : between)(first, [](double k) { return std::complex<double>(0, k); });
}

void spread_slope(point_weights& point, std::size_t d, double place, const grid& all, const spreading& how) {
  const double nearest = std::round(place);
  const bool is_on = std::abs(place - nearest) < on_grid;
  const index_t count = 2 * slope_half_width + (is_on ? 1 : 0);
  index_t first = static_cast<index_t>(is_on ? nearest : std::floor(place) + 1) - slope_half_width;
  // Near an end of the grid the row is moved into it, not cut: a part of a derivative is none.
  if (!(how.has_free_surface && d == z)) first = std::max<index_t>(first, 0);
  first = std::min(first, all.points[d] - count);
  std::vector<double> weights = slope_row(static_cast<double>(first) - (is_on ? nearest : place), is_on);
  for (double& w : weights) w /= all.spacing_m[d];
  set_cut_row(point, d, first, std::move(weights), all.points[d], how);
}

}  // namespace

double usual_window(int half_width) {
  constexpr std::array<double, most_half_width> best{1.24, 2.94, 4.53, 6.31, 7.91, 9.42, 10.95, 12.53, 14.09, 14.18};
  if (half_width < 1 || half_width > most_half_width)
    throw nearfar::usage_error("half width of " + std::to_string(half_width) + " spacings: it must be from 1 to " +
                               std::to_string(most_half_width));
  return best[static_cast<std::size_t>(half_width - 1)];
}

nearfar::box point_weights::support() const noexcept {
  nearfar::box all{3, {}, {}};
  for (std::size_t d = 0; d < 3; ++d) all.lower[d] = first[d], all.upper[d] = first[d] + counts[d];
  return all;
}

namespace {

/// @param slope  the dimension of a derivative; -1: none
point_weights weights_at(const position& where, const grid& all, const nearfar::box& from, const spreading& how,
                         int slope, std::string_view what) {
  usual_window(how.half_width);  // refuses a wrong one
  point_weights point;
  for (std::size_t d = 0; d < 3; ++d) {
    const double place = (where[d] - all.origin_m[d]) / all.spacing_m[d];
    const bool is_inside = place > static_cast<double>(from.lower[d]) - on_grid &&
                           place < static_cast<double>(from.upper[d] - 1) + on_grid;
    if (!is_inside) refuse_place(where, all, from, d, what);
    if (static_cast<int>(d) == slope)
      spread_slope(point, d, place, all, how);
    else
      spread(point, d, place, all.points[d], how);
  }
  return point;
}

}  // namespace

point_weights weights_of(const position& where, const grid& all, const nearfar::box& from, const spreading& how,
                         std::string_view what) {
  return weights_at(where, all, from, how, -1, what);
}

point_weights slope_weights_of(const position& where, const grid& all, const nearfar::box& from, const spreading& how,
                               dimension d, std::string_view what) {
  constexpr index_t least = 2 * slope_half_width + 1;
  if (all.points[d] < least)
    throw nearfar::usage_error(std::string(what) + ": a derivative along " + "zyx"[d] + " is made of " +
                               std::to_string(least) + " points, and the grid has " + std::to_string(all.points[d]) +
                               " there with its sides");
  return weights_at(where, all, from, how, d, what);
}

}  // namespace seismic
