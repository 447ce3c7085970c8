// SPDX-License-Identifier: BSD-3-Clause
// Kernels beside the steps: each is a body as a function of the module.
#include <gpu/bodies/ghosts.hpp>
#include <gpu/bodies/layers.hpp>
#include <gpu/bodies/points.hpp>
#include <gpu/bodies/sums.hpp>

namespace {

__device__ seismic::gpu::thread_place place() {
  using seismic::index_t;
  return {static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x,
          static_cast<index_t>(blockIdx.y) * blockDim.y + threadIdx.y,
          static_cast<index_t>(blockIdx.z) * blockDim.z + threadIdx.z, static_cast<index_t>(gridDim.x) * blockDim.x};
}

}  // namespace

#define SEISMIC_KERNEL(name, arguments)                                            \
  extern "C" __global__ void seismic_##name(const __grid_constant__ arguments a) { \
    seismic::gpu::name##_body(a, place());                                         \
  }

SEISMIC_KERNEL(mirror, seismic::gpu::ghost_arguments)
SEISMIC_KERNEL(repeat, seismic::gpu::ghost_arguments)
SEISMIC_KERNEL(absorb, seismic::slab_arguments)
SEISMIC_KERNEL(inject, seismic::gpu::inject_arguments)
SEISMIC_KERNEL(gather, seismic::gpu::gather_arguments)
SEISMIC_KERNEL(squares, seismic::gpu::squares_arguments)
SEISMIC_KERNEL(difference, seismic::gpu::difference_arguments)
SEISMIC_KERNEL(frame, seismic::gpu::frame_arguments)
