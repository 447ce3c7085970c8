// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the steps: bodies, with the names and shapes of blocks that launches.cpp knows.
#include <gpu/bodies/shapes.hpp>

namespace seismic::gpu {

namespace {

__device__ __forceinline__ place this_place() {
  return {static_cast<int>(blockIdx.x),  static_cast<int>(blockIdx.y),  static_cast<int>(blockIdx.z),
          static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y), static_cast<int>(gridDim.z),
          static_cast<int>(blockDim.x),  static_cast<int>(blockDim.y)};
}
extern __shared__ float shared[];

}  // namespace

template <class Shape>
constexpr int threads_of = Shape::TX * Shape::TY;

template <class Shape>
__device__ __forceinline__ void run_tiled(const step_arguments& a) {
  device_block<typename Shape::thread> block(this_place(), shared);
  Shape::step::run(a, block);
}

#define SEISMIC_STEPS(R)                                                                                       \
  extern "C" __global__ void __launch_bounds__(isotropic_shape::threads, 1)                                    \
      isotropic_##R(const __grid_constant__ step_arguments a) {                                                \
    isotropic_step<R, isotropic_shape::pack>(a, this_place());                                                 \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(vti_shape::threads, 1)                                          \
      fletcher_vti_##R(const __grid_constant__ step_arguments a) {                                             \
    fletcher_vti_step<R, vti_shape::pack>(a, this_place());                                                    \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(threads_of<tilted_shape<R>>, tilted_shape<R>::at_once)          \
      fletcher_tti_##R(const __grid_constant__ step_arguments a) {                                             \
    run_tiled<tilted_shape<R>>(a);                                                                             \
  }                                                                                                            \
  extern "C" __global__ void __launch_bounds__(threads_of<self_adjoint_shape<R>>, self_adjoint_shape<R>::at_once) \
      self_adjoint_##R(const __grid_constant__ step_arguments a) {                                             \
    run_tiled<self_adjoint_shape<R>>(a);                                                                       \
  }

SEISMIC_STEPS(2)
SEISMIC_STEPS(4)
SEISMIC_STEPS(6)

}  // namespace seismic::gpu
