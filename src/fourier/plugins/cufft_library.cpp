// SPDX-License-Identifier: BSD-3-Clause
// Opens cuFFT and looks up its calls.
#include "cufft_library.hpp"

#include <base/shared_library.hpp>

namespace nearfar::fourier {
namespace {

cufft_calls find_calls() {
  cufft_calls c;
  void* const cufft = open_first_library({"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"});
  find_call(cufft, "cufftCreate", c.create);
  find_call(cufft, "cufftMakePlanMany64", c.make);
  find_call(cufft, "cufftExecC2C", c.run_c2c);
  find_call(cufft, "cufftExecR2C", c.run_r2c);
  find_call(cufft, "cufftExecC2R", c.run_c2r);
  find_call(cufft, "cufftExecZ2Z", c.run_z2z);
  find_call(cufft, "cufftExecD2Z", c.run_d2z);
  find_call(cufft, "cufftExecZ2D", c.run_z2d);
  find_call(cufft, "cufftDestroy", c.destroy);
  return c;
}

}  // namespace

bool cufft_calls::is_whole() const {
  return create && make && run_c2c && run_r2c && run_c2r && run_z2z && run_d2z && run_z2d && destroy;
}

const cufft_calls& cufft_found() {
  static const cufft_calls calls = find_calls();
  return calls;
}

}  // namespace nearfar::fourier
