// SPDX-License-Identifier: BSD-3-Clause
// What lies at the sides of the grid.
#pragma once

namespace seismic {

enum class side_kind {
  sponge,    ///< waves are damped in the outermost cells
  cpml,      ///< convolutional perfectly matched layers in the outermost cells
  random,    ///< velocities are random in the outermost cells, which scatter waves; zeros beyond
  periodic,  ///< the other side
  rigid      ///< zeros
};

}  // namespace seismic
