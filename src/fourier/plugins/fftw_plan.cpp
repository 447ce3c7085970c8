// SPDX-License-Identifier: BSD-3-Clause
// Lines transformed by a library with FFTW's interface.
#include <algorithm>
#include <base/text.hpp>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <nearfar/error.hpp>

#include "fftw_library.hpp"

namespace nearfar::fourier {
namespace {

// FFTW's flags and kinds, as its header has them.
constexpr unsigned flag_measure = 0, flag_estimate = 1u << 6, flag_preserve_input = 1u << 4, flag_unaligned = 1u << 1;
constexpr int sign_forward = -1, sign_backward = 1;
constexpr std::uintptr_t alignment = 64;

int fftw_kind(kind what) {
  switch (what) {
    case kind::dct1:
      return 3;
    case kind::dct2:
      return 5;
    case kind::dct3:
      return 4;
    case kind::dct4:
      return 6;
    case kind::dst1:
      return 7;
    case kind::dst2:
      return 9;
    case kind::dst3:
      return 8;
    default:
      return 10;
  }
}

std::mutex& planner() {  // the planners of these libraries are not for several threads
  static std::mutex guard;
  return guard;
}

/// Memory to measure on, in which the first element of an array lies so that no stride leaves it.
class ground {
 public:
  ground(index_t length, index_t stride, const std::array<loop, 2>& lines, index_t loop::*line_stride,
         std::size_t element) {
    index_t low = 0, high = 0;
    const auto reach = [&](index_t last) { (last < 0 ? low : high) += last; };
    reach((length - 1) * stride);
    for (const loop& l : lines) reach(std::max<index_t>(l.count - 1, 0) * l.*line_stride);
    const index_t before = (-low + 63) / 64 * 64;
    at_ = std::calloc(as_size(before + high + 1), element);
    if (!at_) throw resource_error(text("no memory for ", before + high + 1, " elements to measure transforms on"));
    first_ = static_cast<char*>(at_) + as_size(before) * element;
  }
  ~ground() { std::free(at_); }
  ground(const ground&) = delete;
  ground& operator=(const ground&) = delete;
  void* first() const { return first_; }

 private:
  void* at_;
  void* first_;
};

template <class Real>
class fftw_plan : public plan<Real> {
 public:
  fftw_plan(const fftw_library& library, const line_shape& shape, effort how)
      : plan<Real>(shape), library_(library), calls_(calls_of<Real>(library)), how_(how) {
    if (shape.line_count() > 0) plan_for(false, true);
  }
  ~fftw_plan() override {
    const std::scoped_lock lock(planner());
    for (const fftw_calls::plan p : plans_)
      if (p) calls_.destroy(p);
  }
  std::string describe() const override {
    return text(library_.engine, how_ == effort::measure ? " measured" : " estimated");
  }

 private:
  void run_checked(const void* in, void* out) override {
    void* from = const_cast<void*>(in);
    const auto is_aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % alignment == 0; };
    run_plan(plan_for(in == out, is_aligned(in) && is_aligned(out)), from, out);
  }

  /// Plans for arrays that are in place or not aligned are made when the first such arrays come.
  fftw_calls::plan plan_for(bool in_place, bool aligned) {
    fftw_calls::plan& kept = plans_[in_place * 2 + aligned];
    if (!kept) kept = make(in_place, aligned);
    return kept;
  }

  fftw_calls::plan make(bool in_place, bool aligned) {
    unsigned flags = how_ == effort::measure ? flag_measure : flag_estimate;
    if (!in_place) flags |= flag_preserve_input;
    if (!aligned) flags |= flag_unaligned;
    fftw_calls::plan made = nullptr;
    if (how_ == effort::measure) {
      const line_shape& s = this->shape();
      const ground in(s.in_length(), s.in_stride, s.lines, &loop::in_stride, 2 * sizeof(Real));
      const ground out(s.out_length(), s.out_stride, s.lines, &loop::out_stride, 2 * sizeof(Real));
      made = make_on(in.first(), in_place ? in.first() : out.first(), flags);
    } else {  // estimating looks at addresses, never at what is there
      static char nowhere[2 * alignment];
      char* const start = nowhere + (alignment - reinterpret_cast<std::uintptr_t>(nowhere) % alignment) % alignment;
      made = make_on(start, in_place ? start : start + alignment, flags);
    }
    if (!made)
      throw usage_error(text(library_.engine, " has no plan for ", fourier::describe(this->shape()),
                             in_place ? " in place" : "", "; 'own' does every kind"));
    return made;
  }

  fftw_calls::plan make_on(void* in, void* out, unsigned flags) {
    const line_shape& s = this->shape();
    const fftw_dimension line{s.length, s.in_stride, s.out_stride};
    const fftw_dimension loops[] = {{s.lines[0].count, s.lines[0].in_stride, s.lines[0].out_stride},
                                    {s.lines[1].count, s.lines[1].in_stride, s.lines[1].out_stride}};
    const std::scoped_lock lock(planner());
    if (s.what == kind::forward || s.what == kind::backward)
      return calls_.make_complex(1, &line, 2, loops, in, out, s.what == kind::forward ? sign_forward : sign_backward,
                                 flags);
    if (s.what == kind::real_to_complex)
      return calls_.make_r2c ? calls_.make_r2c(1, &line, 2, loops, in, out, flags) : nullptr;
    if (s.what == kind::complex_to_real)
      return calls_.make_c2r ? calls_.make_c2r(1, &line, 2, loops, in, out, flags) : nullptr;
    const int what = fftw_kind(s.what);
    return calls_.make_r2r ? calls_.make_r2r(1, &line, 2, loops, in, out, &what, flags) : nullptr;
  }

  void run_plan(fftw_calls::plan p, void* in, void* out) {
    switch (this->shape().what) {
      case kind::forward:
      case kind::backward:
        return calls_.run_complex(p, in, out);
      case kind::real_to_complex:
        return calls_.run_r2c(p, in, out);
      case kind::complex_to_real:
        return calls_.run_c2r(p, in, out);
      default:
        return calls_.run_r2r(p, in, out);
    }
  }

  const fftw_library& library_;
  const fftw_calls& calls_;
  effort how_;
  fftw_calls::plan plans_[4] = {};
};

}  // namespace

template <class Real>
std::unique_ptr<plan<Real>> make_fftw_plan(const fftw_library& library, const line_shape& shape, effort how) {
  return std::make_unique<fftw_plan<Real>>(library, shape, how);
}
template std::unique_ptr<plan<float>> make_fftw_plan<float>(const fftw_library&, const line_shape&, effort);
template std::unique_ptr<plan<double>> make_fftw_plan<double>(const fftw_library&, const line_shape&, effort);

}  // namespace nearfar::fourier
