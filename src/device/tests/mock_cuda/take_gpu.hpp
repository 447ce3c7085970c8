// SPDX-License-Identifier: BSD-3-Clause
// What tests with GPU memory begin with: on a GPU, or on the stand-ins for CUDA's libraries.
#pragma once

#include <base/numbers.hpp>
#include <cstdlib>
#include <device/device.hpp>
#include <device/kernel_image.hpp>
#include <loader/shared_library.hpp>
#include <mpi_test.hpp>
#include <pack_body.hpp>
#include <vector>

namespace nearfar::test {

/// Makes the first GPU current on this thread; false where there is none.
inline bool take_gpu() {
  shared_library driver({"libcuda.so.1"});
  int (*init)(unsigned) = nullptr;
  int (*get)(int*, int) = nullptr;
  int (*retain)(void**, int) = nullptr;
  int (*set)(void*) = nullptr;
  driver.find("cuInit", init);
  driver.find("cuDeviceGet", get);
  driver.find("cuDevicePrimaryCtxRetain", retain);
  driver.find("cuCtxSetCurrent", set);
  int device = 0;
  void* context = nullptr;
  return driver.has_all() && init(0) == 0 && get(&device, 0) == 0 && retain(&context, device) == 0 && set(context) == 0;
}

/// What the stand-in has by this name; null on a GPU.
template <class T>
T* of_stand_in(const char* name) {
  T* found = nullptr;
  shared_library({"libcuda.so.1"}).find(name, found);
  return found;
}

/// The test must find one, or the stand-in.
inline bool needs_gpu() { return std::getenv("NEARFAR_TEST_NEEDS_GPU") != nullptr; }

/// The stand-in's kernels are their bodies, which this processor runs, unless plans are to do without. A GPU has its
/// own, where nvcc was there.
inline void let_stand_in_run_kernels(bool may_run = true) {
  using run = void (*)(const char*, const void*, const unsigned*);
  auto* const take = of_stand_in<void(std::size_t(*)(const char*), run)>("mock_cuda_kernels");
  if (!take) return;
  take([](const char*) { return sizeof(device::pack_arguments); },
       [](const char*, const void* argument, const unsigned* shape) {
         const index_t threads = index_t{shape[0]} * shape[3];
         for (index_t t = 0; t < threads; ++t)
           device::pack_body(*static_cast<const device::pack_arguments*>(argument), t, threads);
       });
  device::replace_kernel_image(may_run ? "stand-in" : nullptr);
}

/// Tests that are skipped where there is neither a GPU nor the stand-in, and fail where there must be one of them.
template <class Base>
class on_gpu : public Base {
 protected:
  void SetUp() override {
    Base::SetUp();
    const bool has_gpu = take_gpu();
    if (needs_gpu()) {
      NEARFAR_ASSERT_ALL(has_gpu);
    }
    if (!has_gpu) GTEST_SKIP() << "no GPU here";
    let_stand_in_run_kernels();
  }
  void TearDown() override {
    device::replace_kernel_image(nullptr);
    if (int* const refuses = of_stand_in<int>("mock_cuda_refuses_pins")) *refuses = 0;
    Base::TearDown();
  }
};

/// GPU memory beside an array of the host.
template <class Real>
class twin {
 public:
  explicit twin(index_t reals) : host(as_size(reals)), gpu_(bytes()) {}
  std::vector<Real> host;
  Real* gpu() const { return reinterpret_cast<Real*>(gpu_.data()); }
  void up() const { device::copy(gpu(), host.data(), {1, bytes(), bytes(), bytes()}, device::direction::to_device); }
  void down() { device::copy(host.data(), gpu(), {1, bytes(), bytes(), bytes()}, device::direction::to_host); }

 private:
  index_t bytes() const { return as_index(host.size() * sizeof(Real)); }
  device::memory gpu_;
};

}  // namespace nearfar::test
