// SPDX-License-Identifier: BSD-3-Clause
// An irregular plan whose references are all points of the rank.
#include <algorithm>
#include <mortar/distributed_sums.hpp>

namespace adaptive_heat {

void distributed_sums::renew(const mortar_layout& layout, std::span<const leaf_shape> shapes) {
  const global_numbers numbers = number_points(team_, layout, shapes);
  const nearfar::distribution where = distribute(team_, numbers, layout.own(), how_);
  points_ = numbers.points.size();
  if (plan_)
    plan_->update(where, numbers.points);
  else
    plan_.emplace(where, numbers.points, nearfar::irregular_options{.name = "mortars"});
  all_.emplace(*plan_);
}

void distributed_sums::sum(double* vector) {
  const std::span<double> values(vector, points_);
  std::fill(all_->begin(), all_->end(), 0.0);
  plan_->scatter(values, *all_);
  plan_->gather(*all_, values);
}

}  // namespace adaptive_heat
