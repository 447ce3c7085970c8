// SPDX-License-Identifier: BSD-3-Clause
// The shapes of blocks, by radius: the fastest on an H100 among those tried. Registers decide: a block of 256 threads
// with 168 registers each leaves room for one on a multiprocessor, of 128 registers for two.
#pragma once

#include <gpu/bodies/self_adjoint_step.hpp>
#include <gpu/bodies/tilted_step.hpp>

namespace seismic::gpu {

/// Points of a thread along x.
inline constexpr int isotropic_pack = 4, vti_pack = 2;
inline constexpr int most_axis_threads = 256, axis_rows = 8;

template <int R>
struct tilted_shape {
  static constexpr int TX = 32, TY = R == 6 ? 8 : 12;
  using step = tilted_step<R, TX, TY>;
  using thread = tilted_thread<R, TX, TY>;
};
template <int R>
struct self_adjoint_shape {
  static constexpr int TX = 32, TY = 8;
  using step = self_adjoint_step<R, TX, TY>;
  using thread = self_adjoint_thread<R, TX, TY>;
};

}  // namespace seismic::gpu
