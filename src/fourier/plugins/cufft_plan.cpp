// SPDX-License-Identifier: BSD-3-Clause
// Lines in GPU memory transformed by cuFFT, which has one loop over lines; the second loop is here.
#include <algorithm>
#include <base/text.hpp>
#include <device/device.hpp>
#include <limits>
#include <nearfar/error.hpp>
#include <type_traits>
#include <utility>

#include "cufft_library.hpp"

namespace nearfar::fourier {
namespace {

constexpr int forward_direction = -1, backward_direction = 1;

// cufftType
constexpr int type_r2c = 0x2a, type_c2r = 0x2c, type_c2c = 0x29, type_d2z = 0x6a, type_z2d = 0x6c, type_z2z = 0x69;

template <class Real>
int type_of(kind what) {
  constexpr bool is_float = std::is_same_v<Real, float>;
  switch (what) {
    case kind::real_to_complex:
      return is_float ? type_r2c : type_d2z;
    case kind::complex_to_real:
      return is_float ? type_c2r : type_z2d;
    default:
      return is_float ? type_c2c : type_z2z;
  }
}

void check(int code, const char* call, const line_shape& shape) {
  if (code != 0) throw resource_error(text("cuFFT: ", call, " returned ", code, " for ", fourier::describe(shape)));
}

class owned_handle {
 public:
  owned_handle(const cufft_calls& calls, const line_shape& shape) : calls_(calls) {
    check(calls.create(&handle_), "cufftCreate", shape);
  }
  ~owned_handle() { calls_.destroy(handle_); }
  owned_handle(const owned_handle&) = delete;
  owned_handle& operator=(const owned_handle&) = delete;
  cufft_calls::handle get() const noexcept { return handle_; }

 private:
  const cufft_calls& calls_;
  cufft_calls::handle handle_ = 0;
};

template <class Real>
class cufft_plan : public plan<Real> {
 public:
  explicit cufft_plan(const line_shape& shape)
      : plan<Real>(shape), calls_(cufft_found()), inner_(shape.lines[0]), outer_(shape.lines[1]) {
    if (is_real_to_real(shape.what))
      throw usage_error(text("cuFFT has no ", name_of(shape.what),
                             "; in GPU memory forward, backward, real to complex and back are possible"));
    if (inner_.count < outer_.count) std::swap(inner_, outer_);
    if (shape.line_count() == 0) return;
    handle_ = std::make_unique<owned_handle>(calls_, shape);
    make();
  }
  std::string describe() const override { return "cufft"; }

 private:
  static index_t bytes_of(bool is_complex) { return as_index(sizeof(Real)) * (is_complex ? 2 : 1); }

  void make() {
    const line_shape& s = this->shape();
    long long n = s.length, in_embed = s.in_length(), out_embed = s.out_length();
    std::size_t work_bytes = 0;
    // A single line has no distance to the next one, but cuFFT refuses 0.
    const auto distance = [&](index_t stride) { return inner_.count == 1 ? 1 : stride; };
    check(calls_.make(handle_->get(), 1, &n, &in_embed, s.in_stride, distance(inner_.in_stride), &out_embed,
                      s.out_stride, distance(inner_.out_stride), type_of<Real>(s.what), inner_.count, &work_bytes),
          "cufftMakePlanMany64", s);
    // cuFFT promises to keep the input of transforms to complex numbers only.
    if (s.what == kind::complex_to_real) copy_ = device::memory(span_of_input() * bytes_of(true));
  }

  /// Elements from the first to behind the last of one batch of lines.
  index_t span_of_input() const {
    const line_shape& s = this->shape();
    return (s.in_length() - 1) * s.in_stride + (inner_.count - 1) * inner_.in_stride + 1;
  }

  void run_checked(const void* in, void* out) override {
    const kind what = this->shape().what;
    auto* from = static_cast<char*>(const_cast<void*>(in));
    auto* to = static_cast<char*>(out);
    for (index_t i = 0; i < outer_.count; ++i) {
      run_batch(from, to, in == out);
      from += outer_.in_stride * bytes_of(is_complex_in(what));
      to += outer_.out_stride * bytes_of(is_complex_out(what));
    }
  }

  void run_batch(void* in, void* out, bool is_in_place) {
    if (copy_.data() && !is_in_place) {
      const index_t bytes = span_of_input() * bytes_of(true);
      device::copy(copy_.data(), in, {1, bytes, bytes, bytes}, device::direction::on_device);
      in = copy_.data();
    }
    check(call(in, out), "a transform", this->shape());
  }

  int call(void* in, void* out) {
    constexpr bool is_float = std::is_same_v<Real, float>;
    switch (this->shape().what) {
      case kind::real_to_complex:
        return (is_float ? calls_.run_r2c : calls_.run_d2z)(handle_->get(), in, out);
      case kind::complex_to_real:
        return (is_float ? calls_.run_c2r : calls_.run_z2d)(handle_->get(), in, out);
      default:
        return (is_float ? calls_.run_c2c : calls_.run_z2z)(
            handle_->get(), in, out, this->shape().what == kind::forward ? forward_direction : backward_direction);
    }
  }

  const cufft_calls& calls_;
  loop inner_, outer_;
  std::unique_ptr<owned_handle> handle_;
  device::memory copy_;
};

}  // namespace

template <class Real>
std::unique_ptr<plan<Real>> make_cufft_plan(const line_shape& shape) {
  return std::make_unique<cufft_plan<Real>>(shape);
}
template std::unique_ptr<plan<float>> make_cufft_plan<float>(const line_shape&);
template std::unique_ptr<plan<double>> make_cufft_plan<double>(const line_shape&);

}  // namespace nearfar::fourier
