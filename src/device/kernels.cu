// SPDX-License-Identifier: BSD-3-Clause
// The library's kernels: each is a body as a function of the module.
#include <pack_body.hpp>

extern "C" __global__ void nearfar_pack(const __grid_constant__ nearfar::device::pack_arguments a) {
  using nearfar::index_t;
  nearfar::device::pack_body(a, static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x,
                             static_cast<index_t>(gridDim.x) * blockDim.x);
}
