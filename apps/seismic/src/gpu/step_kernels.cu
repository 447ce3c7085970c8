// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the steps: bodies, with the names, block shapes and register limits that launches.hpp knows.
#include <gpu/bodies/shapes.hpp>

using namespace seismic;
using namespace seismic::gpu;

namespace {

__device__ __forceinline__ place this_place() {
  return {static_cast<int>(blockIdx.x),  static_cast<int>(blockIdx.y),  static_cast<int>(blockIdx.z),
          static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y), static_cast<int>(gridDim.z),
          static_cast<int>(blockDim.x),  static_cast<int>(blockDim.y)};
}
extern __shared__ float shared[];

}  // namespace

template <class Shape>
__device__ __forceinline__ void run_tiled(const step_arguments& a) {
  device_block<typename Shape::thread> block(this_place(), shared);
  Shape::step::run(a, block);
}

#define NEARFAR_STEPS(R)                                                                                       \
  extern "C" __global__ void __launch_bounds__(most_axis_threads, 2)                                           \
      isotropic_##R(const __grid_constant__ step_arguments a) {                                                \
    isotropic_step<R, isotropic_pack>(a, this_place());                                                        \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(most_axis_threads, 2)                                           \
      fletcher_vti_##R(const __grid_constant__ step_arguments a) {                                             \
    fletcher_vti_step<R, vti_pack>(a, this_place());                                                           \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(tilted_shape<R>::TX* tilted_shape<R>::TY, 1)                    \
      fletcher_tti_##R(const __grid_constant__ step_arguments a) {                                             \
    run_tiled<tilted_shape<R>>(a);                                                                             \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(self_adjoint_shape<R>::TX* self_adjoint_shape<R>::TY, 1)        \
      self_adjoint_##R(const __grid_constant__ step_arguments a) {                                             \
    run_tiled<self_adjoint_shape<R>>(a);                                                                       \
  }

NEARFAR_STEPS(2)
NEARFAR_STEPS(4)
NEARFAR_STEPS(6)
