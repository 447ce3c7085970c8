// SPDX-License-Identifier: BSD-3-Clause
// Blocks whose threads share memory and wait for each other. A body is a sequence of phases with barriers between them:
//
//     block.each([&](thread& own, int t) { … });    // all threads of the block; then a barrier
//
// On the GPU every thread runs the phase for itself. On the host the threads run it in turn, so that tests without a
// GPU run the same body. What a thread keeps from phase to phase is in its `thread`, which on the GPU is in registers:
// every index into it must be known to the compiler once loops are unrolled.
#pragma once

#include <gpu/bodies/qualifiers.hpp>
#include <vector>

namespace seismic::gpu {

template <class Thread>
class host_block {
 public:
  host_block(const place& here, int shared_floats)
      : here_(here),
        threads_(static_cast<std::size_t>(here.threads_x * here.threads_y)),
        shared_(static_cast<std::size_t>(shared_floats)) {}
  const place& here() const { return here_; }
  float* shared() { return shared_.data(); }
  template <class Phase>
  void each(const Phase& phase) {
    for (std::size_t t = 0; t < threads_.size(); ++t) phase(threads_[t], static_cast<int>(t));
  }

 private:
  place here_;
  std::vector<Thread> threads_;
  std::vector<float> shared_;
};

#ifdef __CUDACC__
template <class Thread>
class device_block {
 public:
  __device__ device_block(const place& here, float* shared)
      : here_(here), shared_(shared), t_(here.thread_y * here.threads_x + here.thread_x) {}
  __device__ const place& here() const { return here_; }
  __device__ float* shared() const { return shared_; }
  template <class Phase>
  __device__ __forceinline__ void each(const Phase& phase) {
    phase(own_, t_);
    __syncthreads();
  }

 private:
  place here_;
  float* shared_;
  int t_;
  Thread own_;
};
#endif

}  // namespace seismic::gpu
