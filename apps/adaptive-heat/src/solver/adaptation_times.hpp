// SPDX-License-Identifier: BSD-3-Clause
// What the time of adaptations goes into.
#pragma once

namespace adaptive_heat {

/// Seconds of a rank, waiting for others included.
struct adaptation_times {
  double refinement = 0;      ///< refine, balance, coarsen
  double repartition = 0;     ///< of leaves and their values over the ranks
  double ghosts = 0;          ///< leaves around, sides of leaves
  double interpolation = 0;   ///< values of new elements
  double numbering = 0;       ///< mortar points
  double inspection = 0;      ///< of the references to other ranks' points
  double elements = 0;        ///< blocks of elements, and their values moved
  double preconditioner = 0;  ///< and the weights of averages
};

}  // namespace adaptive_heat
