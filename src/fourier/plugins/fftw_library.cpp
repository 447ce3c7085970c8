// SPDX-License-Identifier: BSD-3-Clause
// Opens the libraries and looks up their calls.
#include "fftw_library.hpp"

#include <dlfcn.h>

#include <initializer_list>
#include <type_traits>

namespace nearfar::fourier {
namespace {

void* open_first(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

template <class Function>
void find(void* library, const std::string& name, Function& call) {
  call = reinterpret_cast<Function>(dlsym(library, name.c_str()));
}

fftw_calls find_calls(void* library, const std::string& prefix) {
  fftw_calls calls;
  if (!library) return calls;
  find(library, prefix + "plan_guru64_dft", calls.make_complex);
  find(library, prefix + "plan_guru64_dft_r2c", calls.make_r2c);
  find(library, prefix + "plan_guru64_dft_c2r", calls.make_c2r);
  find(library, prefix + "plan_guru64_r2r", calls.make_r2r);
  find(library, prefix + "execute_dft", calls.run_complex);
  find(library, prefix + "execute_dft_r2c", calls.run_r2c);
  find(library, prefix + "execute_dft_c2r", calls.run_c2r);
  find(library, prefix + "execute_r2r", calls.run_r2r);
  find(library, prefix + "destroy_plan", calls.destroy);
  return calls;
}

fftw_library find_mkl() {
  void* library = open_first({"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"});
  if (!library) return {"mkl", {}, {}};
  constexpr int sequential = 1;  // ranks fill the cores already
  int (*set_layer)(int) = nullptr;
  find(library, "MKL_Set_Threading_Layer", set_layer);
  if (set_layer) set_layer(sequential);
  fftw_library mkl{"mkl", find_calls(library, "fftwf_"), find_calls(library, "fftw_")};
  mkl.for_float.make_r2r = mkl.for_double.make_r2r = nullptr;  // its wrapper knows a few of the kinds only
  return mkl;
}

}  // namespace

const fftw_library& fftw_found() {
  static const fftw_library library{"fftw", find_calls(open_first({"libfftw3f.so.3", "libfftw3f.so"}), "fftwf_"),
                                    find_calls(open_first({"libfftw3.so.3", "libfftw3.so"}), "fftw_")};
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
