// SPDX-License-Identifier: BSD-3-Clause
// What tests with GPU memory begin with: on a GPU, or on the stand-ins for CUDA's libraries.
#pragma once

#include <dlfcn.h>

#include <base/numbers.hpp>
#include <cstdlib>
#include <device/device.hpp>
#include <vector>

namespace nearfar::test {

/// Makes the first GPU current on this thread; false where there is none.
inline bool take_gpu() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!driver) return false;
  const auto call = [&](const char* name) { return dlsym(driver, name); };
  const auto init = reinterpret_cast<int (*)(unsigned)>(call("cuInit"));
  const auto get = reinterpret_cast<int (*)(int*, int)>(call("cuDeviceGet"));
  const auto retain = reinterpret_cast<int (*)(void**, int)>(call("cuDevicePrimaryCtxRetain"));
  const auto set = reinterpret_cast<int (*)(void*)>(call("cuCtxSetCurrent"));
  int device = 0;
  void* context = nullptr;
  return init && get && retain && set && init(0) == 0 && get(&device, 0) == 0 && retain(&context, device) == 0 &&
         set(context) == 0;
}

/// The test must find one, or the stand-in.
inline bool needs_gpu() { return std::getenv("NEARFAR_TEST_NEEDS_GPU") != nullptr; }

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
