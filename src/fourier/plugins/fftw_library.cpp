// SPDX-License-Identifier: BSD-3-Clause
// Opens the libraries and looks up their calls.
#include "fftw_library.hpp"

#include <loader/shared_library.hpp>
#include <type_traits>

namespace nearfar::fourier {
namespace {

fftw_calls find_calls(shared_library library, const std::string& prefix) {
  fftw_calls calls;
  library.find(prefix + "plan_guru64_dft", calls.make_complex);
  library.find(prefix + "plan_guru64_dft_r2c", calls.make_r2c);
  library.find(prefix + "plan_guru64_dft_c2r", calls.make_c2r);
  library.find(prefix + "plan_guru64_r2r", calls.make_r2r);
  library.find(prefix + "execute_dft", calls.run_complex);
  library.find(prefix + "execute_dft_r2c", calls.run_r2c);
  library.find(prefix + "execute_dft_c2r", calls.run_c2r);
  library.find(prefix + "execute_r2r", calls.run_r2r);
  library.find(prefix + "destroy_plan", calls.destroy);
  return calls;
}

fftw_library find_mkl() {
  shared_library library({"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"});
  constexpr int sequential = 1;  // ranks fill the cores already
  int (*set_layer)(int) = nullptr;
  library.find("MKL_Set_Threading_Layer", set_layer);
  if (set_layer) set_layer(sequential);
  fftw_library mkl{"mkl", find_calls(library, "fftwf_"), find_calls(library, "fftw_")};
  mkl.for_float.make_r2r = mkl.for_double.make_r2r = nullptr;  // its wrapper knows a few of the kinds only
  return mkl;
}

}  // namespace

const fftw_library& fftw_found() {
  // fftw_cleanup() makes all plans of its copy invalid: a program that calls it for plans of its own must not end ours.
  constexpr auto own = shared_library::copy::own;
  static const fftw_library library{"fftw",
                                    find_calls(shared_library({"libfftw3f.so.3", "libfftw3f.so"}, own), "fftwf_"),
                                    find_calls(shared_library({"libfftw3.so.3", "libfftw3.so"}, own), "fftw_")};
  return library;
}

const fftw_library& mkl_found() {
  static const fftw_library library = find_mkl();
  return library;
}

template <class Real>
const fftw_calls& calls_of(const fftw_library& library) {
  return std::is_same_v<Real, float> ? library.for_float : library.for_double;
}
template const fftw_calls& calls_of<float>(const fftw_library&);
template const fftw_calls& calls_of<double>(const fftw_library&);

}  // namespace nearfar::fourier
