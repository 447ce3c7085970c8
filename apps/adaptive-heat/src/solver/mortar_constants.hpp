// SPDX-License-Identifier: BSD-3-Clause
// What mortar points have for as long as the mesh stays: the inverse of the assembled matrix' diagonal, and the weights
// of averages.
#pragma once

#include <mortar/exchange.hpp>
#include <mortar/shape_diagonal.hpp>
#include <mortar/shape_weights.hpp>
#include <solver/element_set.hpp>
#include <solver/mortar_vectors.hpp>

namespace adaptive_heat {

/// Keeps what is known of shapes.
class mortar_constants {
 public:
  explicit mortar_constants(int order) : plain_(plain_diagonal(order)), diagonals_(order) {}
  /// A mesh and its numbering; `reference_values` is scratch for exchange.references() values.
  struct view {
    const mesh_part& part;
    const mortar_layout& layout;
    const time_scheme& scheme;
    mortar_exchange& exchange;
    std::span<double> reference_values;
  };
  /// Fills the inverse diagonal and the weights; the product vector is scratch. Collective.
  void renew(const view& mesh, mortar_vectors& vectors);

 private:
  void sum_plain_entities(const view& mesh, mortar_vectors& vectors);
  void spread_over_entities(const view& mesh, mortar_vectors& vectors);
  void add_affected_entities(const view& mesh, double* diagonal);
  void sum_over_ranks(const view& mesh, mortar_vectors& vectors);
  void sum_diagonal_in_order(const view& mesh, double* diagonal);
  void sum_weights_in_order(const view& mesh, mortar_vectors& vectors);

  struct points_of_entity {
    std::int32_t first, count;
  };
  std::vector<points_of_entity> unfinished_;  ///< whose sums are not inverted yet
  std::vector<diagonal_part> plain_;          ///< of entities that nothing split touches
  shape_diagonals diagonals_;
  shape_weights weights_;
};

}  // namespace adaptive_heat
