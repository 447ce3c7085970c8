// SPDX-License-Identifier: BSD-3-Clause
// How much the values of an element count in the averages on mortars.
#pragma once

#include <array>
#include <cstdint>
#include <element/blocks.hpp>
#include <mortar/entity_table.hpp>
#include <mortar/leaf_shape.hpp>
#include <vector>

namespace adaptive_heat {

using entity_weights = std::array<std::uint8_t, entities>;  ///< in sixths

/// Of the faces around a vertex or an edge those that are not split count, each for its share of three or two. What is
/// split has none.
entity_weights weights_of(const leaf_shape& shape) noexcept;

/// Kept per shape.
class shape_weights {
 public:
  const entity_weights& of(const leaf_shape& shape) {
    const auto [n, is_new] = shapes_.insert(shape.bits());
    if (is_new) known_.push_back(weights_of(shape));
    return known_[static_cast<std::size_t>(n)];
  }

 private:
  entity_table shapes_;
  std::vector<entity_weights> known_;
};

}  // namespace adaptive_heat
