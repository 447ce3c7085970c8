// SPDX-License-Identifier: BSD-3-Clause
// Which thread of a grid a body is run as, for kernels whose threads do not wait for each other.
#pragma once

#include <gpu/bodies/qualifiers.hpp>
#include <kernels/tile_shape.hpp>

namespace seismic::gpu {

/// Numbers of the thread in the whole grid along x, y and z, and how many there are along x.
struct thread_place {
  index_t x = 0, y = 0, z = 0, along_x = 1;
};

}  // namespace seismic::gpu
