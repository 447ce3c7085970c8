// SPDX-License-Identifier: BSD-3-Clause
// Numbers in GPU memory times a factor, by cuBLAS.
#include <algorithm>
#include <base/text.hpp>
#include <device/device.hpp>
#include <loader/shared_library.hpp>
#include <nearfar/error.hpp>
#include <type_traits>

namespace nearfar::device {
namespace {

struct cublas_calls {
  int (*create)(void** handle) = nullptr;  // cublasCreate_v2, and so on
  int (*scale_float)(void* handle, int n, const float* factor, float*, int stride) = nullptr;
  int (*scale_double)(void* handle, int n, const double* factor, double*, int stride) = nullptr;
  bool is_whole = false;
};

const cublas_calls& cublas_found() {
  static const cublas_calls calls = [] {
    shared_library library({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"});
    cublas_calls c;
    library.find("cublasCreate_v2", c.create);
    library.find("cublasSscal_v2", c.scale_float);
    library.find("cublasDscal_v2", c.scale_double);
    c.is_whole = library.has_all();
    return c;
  }();
  return calls;
}

void check(int code) {
  if (code != 0) throw resource_error(text("cuBLAS could not multiply in GPU memory: its status ", code));
}

/// This thread's; lives as long as the process, since the GPU's context may end before static objects do.
void* handle() {
  thread_local void* made = nullptr;
  if (!made) check(cublas_found().create(&made));
  return made;
}

}  // namespace

bool can_scale() noexcept { return cublas_found().is_whole; }

template <class Real>
void scale(Real* first, index_t count, Real factor) {
  if (!can_scale())
    throw usage_error("numbers in GPU memory are multiplied by cuBLAS (libcublas), which was not found here");
  constexpr index_t most = index_t{1} << 30;  // its counts are int
  for (index_t done = 0; done < count; done += most) {
    const int n = static_cast<int>(std::min(most, count - done));
    if constexpr (std::is_same_v<Real, float>)
      check(cublas_found().scale_float(handle(), n, &factor, first + done, 1));
    else
      check(cublas_found().scale_double(handle(), n, &factor, first + done, 1));
  }
}
template void scale<float>(float*, index_t, float);
template void scale<double>(double*, index_t, double);

}  // namespace nearfar::device
