// SPDX-License-Identifier: BSD-3-Clause
// What marks a function that is compiled for the GPU and for the host.
#pragma once

#ifdef __CUDACC__
#define SEISMIC_GPU __device__ __host__ __forceinline__
#else
#define SEISMIC_GPU inline
#endif
