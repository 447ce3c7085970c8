// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the GPU as the host sees them. Their bodies compile for the host, too, where tests and machines without a
// GPU run them.
#pragma once

#include <array>
#include <kernels/kernels.hpp>

namespace seismic::gpu {

/// How a kernel is started. Each takes one argument by value.
struct launch {
  const char* kernel;  ///< its name in the module
  std::array<unsigned, 3> blocks{}, threads{};
  unsigned shared_bytes = 0;
};

/// Blocks for so many points.
constexpr unsigned blocks_of(index_t points, index_t per_block) {
  return static_cast<unsigned>((points + per_block - 1) / per_block);
}

/// A step on the planes and rows that `a` asks for; the kernel's argument is `a`, with pointers to the GPU's memory
/// (damping, too) and without scratch memory. Every system, radius 2, 4 and 6; flat grids and repeating ones.
launch launch_of(system_kind system, const step_arguments& a);

/// Runs a kernel's body on this processor: blocks one after the other, a block's threads in turn between barriers.
/// @param argument  a step_arguments, with pointers to memory of the host
void run_on_host(const launch& what, const void* argument);

}  // namespace seismic::gpu
