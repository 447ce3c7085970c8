// SPDX-License-Identifier: BSD-3-Clause
// The engines by name, and Nearfar's own behind the common interface.
#include <base/text.hpp>
#include <fourier/engine.hpp>
#include <fourier/pieces.hpp>
#include <nearfar/error.hpp>
#include <utility>

#include "plugins/cufft_library.hpp"
#include "plugins/fftw_library.hpp"

namespace nearfar::fourier {
namespace {

/// Whether the second loop should be the one whose lines make a bundle.
bool is_better_swapped(const line_shape& s) {
  const auto unit_sides = [](const loop& l) { return (l.in_stride == 1) + (l.out_stride == 1); };
  return unit_sides(s.lines[1]) > unit_sides(s.lines[0]) || s.lines[0].count == 1;
}

template <class Real>
class own_plan : public plan<Real> {
 public:
  explicit own_plan(const line_shape& shape) : plan<Real>(shape), engine_(shape.what, shape.length) {
    auto [first, second] = shape.lines;
    if (is_better_swapped(shape)) std::swap(first, second);
    lines_.end = {first.count, second.count};
    in_ = {0, shape.in_length(), nullptr, shape.in_stride, {first.in_stride, second.in_stride}};
    out_ = {0, shape.out_length(), nullptr, shape.out_stride, {first.out_stride, second.out_stride}};
  }
  std::string describe() const override { return engine_.describe(); }

 private:
  void run_checked(const void* in, void* out) override {
    in_.base = in;
    out_.base = out;
    engine_.run(lines_, {&in_, 1}, {&out_, 1}, this->shape().past_caches);
  }

  bundle_engine<Real> engine_;
  line_range lines_;
  source_piece in_;
  target_piece out_;
};

}  // namespace

template <class Real>
void plan<Real>::run(const void* in, void* out) {
  if (shape_.line_count() == 0) return;
  if (!in || !out)
    throw usage_error(text(in ? "output" : "input", " array of a transform (", fourier::describe(shape_),
                           ") is null; it must have the elements of all lines"));
  run_checked(in, out);
}
template void plan<float>::run(const void*, void*);
template void plan<double>::run(const void*, void*);

namespace {

bool is_there(const fftw_library& library) {
  return library.for_float.has_complex() || library.for_double.has_complex();
}

template <class Real>
bool serves(const fftw_library& library) {
  return calls_of<Real>(library).has_complex();
}

}  // namespace

std::vector<engine_info> engines() {
  return {{"own", "Stockham passes across bundles of lines, any length, all kinds; always there", true},
          {"fftw", "FFTW 3 (GPL) found at run time: libfftw3, libfftw3f", is_there(fftw_found())},
          {"mkl", "Intel MKL found at run time: libmkl_rt, one thread, no real-to-real kinds", is_there(mkl_found())},
          {"cufft", "cuFFT found at run time: libcufft; GPU memory only, no real-to-real kinds", cufft_found().is_whole,
           true}};
}

template <class Real>
bool is_available(std::string_view engine) {
  if (engine == "own") return true;
  if (engine == "cufft") return cufft_found().is_whole;
  for (const fftw_library* library : {&fftw_found(), &mkl_found()})
    if (engine == library->engine) return serves<Real>(*library);
  return false;
}
template bool is_available<float>(std::string_view);
template bool is_available<double>(std::string_view);

namespace {

template <class Real>
std::string names_of_engines() {
  std::string all;
  for (const engine_info& e : engines())
    if (is_available<Real>(e.name)) all += (all.empty() ? "" : ", ") + e.name;
  return all;
}

}  // namespace

template <class Real>
std::unique_ptr<plan<Real>> make_plan(std::string_view engine, const line_shape& shape, effort how) {
  check(shape);
  if (engine == "own") return std::make_unique<own_plan<Real>>(shape);
  for (const fftw_library* library : {&fftw_found(), &mkl_found()})
    if (engine == library->engine && serves<Real>(*library)) return make_fftw_plan<Real>(*library, shape, how);
  if (engine == "cufft" && cufft_found().is_whole) return make_cufft_plan<Real>(shape);
  throw usage_error(text("serial transforms of ", sizeof(Real) == sizeof(float) ? "float" : "double", " by '", engine,
                         "' cannot be had here; engines that can: ", names_of_engines<Real>()));
}
template std::unique_ptr<plan<float>> make_plan<float>(std::string_view, const line_shape&, effort);
template std::unique_ptr<plan<double>> make_plan<double>(std::string_view, const line_shape&, effort);

}  // namespace nearfar::fourier
