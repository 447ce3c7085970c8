// SPDX-License-Identifier: BSD-3-Clause
// What a run goes on from: arrays of which each rank has a part.
#pragma once

#include <array>
#include <grid/grid.hpp>
#include <string>

namespace seismic {

/// Names, their order and extents are the same on all ranks; the own boxes cover the array exactly once.
struct state_array {
  std::string name;
  std::array<index_t, 3> extents{};  ///< of the whole array, slowest first
  nearfar::box own{3, {}, {}};       ///< of this rank; may be empty
  nearfar::box needed{3, {}, {}};    ///< to go on: own, and what this rank keeps of its neighbours' parts
  float* data = nullptr;             ///< the first element of `own`; null if that is empty
  std::array<index_t, 3> strides{};  ///< floats between neighbours; the last one is 1
};

}  // namespace seismic
