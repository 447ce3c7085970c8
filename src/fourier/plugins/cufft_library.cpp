// SPDX-License-Identifier: BSD-3-Clause
// Opens cuFFT and looks up its calls.
#include "cufft_library.hpp"

#include <loader/shared_library.hpp>

namespace nearfar::fourier {
namespace {

cufft_calls find_calls() {
  cufft_calls c;
  shared_library cufft({"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"});
  cufft.find("cufftCreate", c.create);
  cufft.find("cufftMakePlanMany64", c.make);
  cufft.find("cufftExecC2C", c.run_c2c);
  cufft.find("cufftExecR2C", c.run_r2c);
  cufft.find("cufftExecC2R", c.run_c2r);
  cufft.find("cufftExecZ2Z", c.run_z2z);
  cufft.find("cufftExecD2Z", c.run_d2z);
  cufft.find("cufftExecZ2D", c.run_z2d);
  cufft.find("cufftDestroy", c.destroy);
  c.is_whole = cufft.has_all();
  return c;
}

}  // namespace

const cufft_calls& cufft_found() {
  static const cufft_calls calls = find_calls();
  return calls;
}

}  // namespace nearfar::fourier
