// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>
#include <spectral/space.hpp>

namespace turbulence {
namespace {

std::array<index_t, 3> points_of(const box_shape& shape) {
  std::array<index_t, 3> points = shape.points;
  for (index_t& n : points)
    if (shape.dealiasing == dealiasing_rule::three_halves && n > 1) n = (3 * n + 1) / 2;
  return points;
}

/// Products of two of these have aliases beyond them: 3 K < points of the transform.
std::array<index_t, 3> highest_of(const box_shape& shape) {
  std::array<index_t, 3> highest{};
  const index_t divisor = shape.dealiasing == dealiasing_rule::two_thirds ? 3 : 2;
  for (std::size_t d = 0; d < 3; ++d) highest[d] = (shape.points[d] - 1) / divisor;
  return highest;
}

/// An odd number of modes has no Nyquist mode.
nearfar::fft_shape transforms_of(const std::array<index_t, 3>& points, const std::array<index_t, 3>& highest) {
  nearfar::fft_shape shape = nearfar::fft_shape::real({points.begin(), points.end()});
  for (const index_t k : highest) shape.modes.push_back(2 * k + 1);
  return shape;
}

std::vector<double> waves_of(index_t highest, double length, bool is_real) {
  std::vector<double> waves;
  for (index_t k = 0; k <= highest; ++k) waves.push_back(static_cast<double>(k) / length);
  for (index_t k = -highest; k < 0 && !is_real; ++k) waves.push_back(static_cast<double>(k) / length);
  return waves;
}

}  // namespace

space::space(const nearfar::team& team, const box_shape& shape, const nearfar::fft_layout_options& sides)
    : team_(team),
      shape_(shape),
      points_(points_of(shape)),
      highest_(highest_of(shape)),
      layout_(team, transforms_of(points_, highest_), sides),
      modes_(nearfar::shape_of(layout_.spectral())),
      own_(layout_.spectral().parts.own()) {
  const std::vector<int>& order = layout_.spectral().memory_order;
  double k2 = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    order_[d] = order.empty() ? d : static_cast<std::size_t>(order[d]);
    waves_[d] = waves_of(highest_[d], shape.lengths[d], d == 2);
    k2 += std::pow(static_cast<double>(highest_[d]) / shape.lengths[d], 2);
  }
  shell_width_ = 1 / *std::max_element(shape.lengths.begin(), shape.lengths.end());
  shells_ = std::lround(std::sqrt(k2) / shell_width_) + 1;
}

space space::on_own_points() const {
  box_shape shape = shape_;
  if (shape.dealiasing == dealiasing_rule::three_halves) shape.dealiasing = dealiasing_rule::none;
  return {team_, shape, {.spectral = layout_.spectral()}};
}

double space::spacing(int axis) const {
  const auto d = static_cast<std::size_t>(axis);
  return 2 * std::numbers::pi * shape_.lengths[d] / static_cast<double>(points_[d]);
}

double space::highest_complete_wave() const {
  double lowest = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double k = static_cast<double>(highest_[d]) / shape_.lengths[d];
    if (highest_[d] > 0 && (lowest == 0 || k < lowest)) lowest = k;
  }
  return lowest;
}

index_t space::shell_of(const mode& m) const { return std::lround(std::sqrt(m.k2()) / shell_width_); }

}  // namespace turbulence
