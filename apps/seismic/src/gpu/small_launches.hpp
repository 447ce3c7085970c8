// SPDX-License-Identifier: BSD-3-Clause
// How the kernels beside the steps are started.
#pragma once

#include <gpu/bodies/ghosts.hpp>
#include <gpu/bodies/layers.hpp>
#include <gpu/bodies/points.hpp>
#include <gpu/bodies/sums.hpp>
#include <gpu/launches.hpp>

namespace seismic::gpu {

inline constexpr int summing_threads = 256 * 256;

launch mirror_launch(const ghost_arguments& a);
launch repeat_launch(const ghost_arguments& a);
launch absorb_launch(const slab_arguments& a);
launch inject_launch(const inject_arguments& a);
launch gather_launch(const gather_arguments& a);
launch squares_launch();  ///< sums: summing_threads of them
launch difference_launch();
launch frame_launch(const frame_arguments& a);

/// The names of these kernels and the sizes of their arguments, for drivers of tests.
struct small_kernel {
  const char* name;
  std::size_t argument_bytes;
};
std::array<small_kernel, 8> small_kernels() noexcept;

/// Runs a body on this processor, thread by thread, as run_on_host() does with steps.
void run_small_on_host(const launch& what, const void* argument);

}  // namespace seismic::gpu
