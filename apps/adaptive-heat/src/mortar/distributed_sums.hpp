// SPDX-License-Identifier: BSD-3-Clause
// Sums through a global vector that is distributed without regard to the elements: what each rank's elements give is
// scattered to it, the sums are gathered from it.
#pragma once

#include <mortar/point_distribution.hpp>
#include <nearfar/irregular_vector.hpp>
#include <optional>
#include <span>

namespace adaptive_heat {

/// @source the executor of Korzh (2010), where put and a barrier scatter and get gathers
class distributed_sums {
 public:
  distributed_sums(const nearfar::team& members, point_distribution how) : team_(members), how_(how) {}
  /// Collective, like sum().
  void renew(const mortar_layout& layout, std::span<const leaf_shape> shapes);
  /// Each point of the vector := the sum over the ranks that have it. Traces are not touched.
  void sum(double* vector);
  const nearfar::irregular_plan& plan() const { return *plan_; }

 private:
  nearfar::team team_;
  point_distribution how_;
  std::size_t points_ = 0;  ///< of this rank, ghosts included
  std::optional<nearfar::irregular_plan> plan_;
  std::optional<nearfar::irregular_vector<double>> all_;
};

}  // namespace adaptive_heat
