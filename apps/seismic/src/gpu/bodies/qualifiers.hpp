// SPDX-License-Identifier: BSD-3-Clause
// What compilers for the GPU and for the host are told differently.
#pragma once

#ifdef __CUDACC__
#define SEISMIC_GPU __host__ __device__ __forceinline__
#define SEISMIC_UNROLL _Pragma("unroll")
#else
#define SEISMIC_GPU inline __attribute__((always_inline))
#define SEISMIC_UNROLL
#endif

namespace seismic::gpu {

/// Which thread of which block.
struct place {
  int block_x, block_y, block_z;
  int thread_x, thread_y;
  int blocks_z;              ///< in the grid
  int threads_x, threads_y;  ///< in a block
};

/// A value that is used once: it need not stay in the cache.
SEISMIC_GPU float load_once(const float* p) {
#ifdef __CUDA_ARCH__
  return __ldcs(p);
#else
  return *p;
#endif
}
SEISMIC_GPU void store_once(float* p, float value) {
#ifdef __CUDA_ARCH__
  __stcs(p, value);
#else
  *p = value;
#endif
}

}  // namespace seismic::gpu
