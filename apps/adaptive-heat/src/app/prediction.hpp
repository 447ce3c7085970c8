// SPDX-License-Identifier: BSD-3-Clause
// How long a step would take on more ranks: traffic counted, times from a model.
#pragma once

#include <base/problem.hpp>
#include <string>

namespace adaptive_heat {

/// Seconds and bytes per second. Those of the network are for a cluster of today; those of elements were measured in
/// class C on one rank of a virtual processor (apps/adaptive-heat/README.md).
struct cost_model {
  double element_step = 6e-6;          ///< one element's share of a time step, with order 4
  double element_adaptation = 6.5e-7;  ///< and of an adaptation
  double latency = 1.5e-6;             ///< of a message between nodes
  double message = 0.3e-6;             ///< to post one and to receive one
  double bandwidth = 5e9;              ///< of one rank
  int adaptation_waits = 15;           ///< rounds of messages or reductions of one adaptation

  /// A step multiplies matrices with the lines of elements; an adaptation handles points.
  cost_model for_order(int order) const noexcept {
    const double line = point_counts{order}.points() / double{point_counts{}.points()};
    cost_model other = *this;
    other.element_step *= line * line * line * line, other.element_adaptation *= line * line * line;
    return other;
  }
};

/// A table of strong scaling on the first mesh of the problem, up to `most_ranks`. Local: one process counts for all.
std::string predict_scaling(const problem& what, int most_ranks, const cost_model& costs = {});

}  // namespace adaptive_heat
