// SPDX-License-Identifier: BSD-3-Clause
// What tests of the GPU's engine begin with: a GPU, or the library's stand-in for CUDA's driver, whose kernels are the
// bodies run on this processor.
#pragma once

#include <cstdlib>
#include <gpu/device.hpp>
#include <gpu/kernel_image.hpp>
#include <gpu/small_launches.hpp>
#include <loader/shared_library.hpp>
#include <mpi_test.hpp>
#include <string>
#include <string_view>

namespace seismic::test {

inline std::size_t argument_bytes_of(const char* name) {
  for (const gpu::small_kernel& k : gpu::small_kernels())
    if (std::string_view(k.name) == name) return k.argument_bytes;
  return sizeof(step_arguments);
}

inline bool is_small(const char* name) {
  for (const gpu::small_kernel& k : gpu::small_kernels())
    if (std::string_view(k.name) == name) return true;
  return false;
}

inline void run_kernel(const char* name, const void* argument, const unsigned* s) {
  const gpu::launch what{name, {s[0], s[1], s[2]}, {s[3], s[4], s[5]}, s[6]};
  is_small(name) ? gpu::run_small_on_host(what, argument) : gpu::run_on_host(what, argument);
}

template <class Base>
class with_gpu : public Base {
 protected:
  void SetUp() override {
    ::setenv("NEARFAR_BUDGET", "0", 1);
    Base::SetUp();
    using kernels = void (*)(std::size_t(*)(const char*), void (*)(const char*, const void*, const unsigned*));
    if (auto* const take = of_stand_in<std::remove_pointer_t<kernels>>("mock_cuda_kernels")) {
      take(argument_bytes_of, run_kernel);
      gpu::replace_kernel_image("stand-in");
    }
    const bool has_gpu = gpu::fault_of_gpu().empty();
    if (std::getenv("NEARFAR_TEST_NEEDS_GPU") != nullptr) {
      NEARFAR_ASSERT_ALL(has_gpu);
    }
    if (!has_gpu) GTEST_SKIP() << gpu::fault_of_gpu();
  }
  void TearDown() override {
    gpu::replace_kernel_image(nullptr);
    Base::TearDown();
  }

  /// A name of the stand-in's; null on a GPU.
  template <class T>
  static T* of_stand_in(const char* name) {
    T* found = nullptr;
    nearfar::shared_library({"libcuda.so.1"}).find(name, found);
    return found;
  }
};

using GpuTest = with_gpu<nearfar::test::MpiTest>;

}  // namespace seismic::test
