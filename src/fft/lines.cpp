// SPDX-License-Identifier: BSD-3-Clause
// Lines by a serial engine, and the loops over lines that the engine lacks.
#include "lines.hpp"

#include <algorithm>
#include <base/text.hpp>
#include <cstdlib>
#include <nearfar/error.hpp>

namespace nearfar::fft {
namespace {

index_t reach(const fourier::loop& l) { return std::abs(l.in_stride) + std::abs(l.out_stride); }

bool continues(const fourier::loop& inner, const fourier::loop& outer) {
  return outer.in_stride == inner.count * inner.in_stride && outer.out_stride == inner.count * inner.out_stride;
}

/// Real and imaginary parts are lines of their own.
line_job in_reals(line_job job) {
  job.in_stride *= 2, job.out_stride *= 2;
  for (fourier::loop& l : job.loops) l.in_stride *= 2, l.out_stride *= 2;
  job.loops.push_back({2, 1, 1});
  job.is_on_complex = false;
  return job;
}

/// Calls body(in offset, out offset) for all rounds of the loops, in elements.
template <class Body>
void for_rounds(const std::vector<fourier::loop>& loops, std::size_t from, index_t in, index_t out, const Body& body) {
  if (from == loops.size()) return body(in, out);
  for (index_t i = 0; i < loops[from].count; ++i)
    for_rounds(loops, from + 1, in + i * loops[from].in_stride, out + i * loops[from].out_stride, body);
}

template <class Real>
class engine_lines : public line_runner<Real> {
 public:
  engine_lines(const line_job& job, const std::string& engine, fourier::effort how)
      : in_bytes_(element_bytes(fourier::is_complex_in(job.what))),
        out_bytes_(element_bytes(fourier::is_complex_out(job.what))) {
    fourier::line_shape shape{job.what, job.length, job.in_stride, job.out_stride, {}, job.past_caches};
    std::vector<fourier::loop> loops = joined(job.loops);
    for (std::size_t i = 0; i < loops.size() && i < 2; ++i) shape.lines[i] = loops[i];
    if (loops.size() > 2) rounds_.assign(loops.begin() + 2, loops.end());
    plan_ = fourier::make_plan<Real>(engine, shape, how);
  }
  void run(const void* in, void* out) override {
    for_rounds(rounds_, 0, 0, 0, [&](index_t from, index_t to) {
      plan_->run(static_cast<const char*>(in) + from * in_bytes_, static_cast<char*>(out) + to * out_bytes_);
    });
  }
  std::string describe() const override { return plan_->describe(); }

 private:
  static index_t element_bytes(bool is_complex) { return as_index(sizeof(Real)) * (is_complex ? 2 : 1); }
  index_t in_bytes_, out_bytes_;
  std::vector<fourier::loop> rounds_;
  std::unique_ptr<fourier::plan<Real>> plan_;
};

}  // namespace

std::vector<fourier::loop> joined(std::vector<fourier::loop> loops) {
  std::erase_if(loops, [](const fourier::loop& l) { return l.count == 1; });
  std::stable_sort(loops.begin(), loops.end(),
                   [](const fourier::loop& a, const fourier::loop& b) { return reach(a) < reach(b); });
  std::vector<fourier::loop> fewer;
  for (const fourier::loop& l : loops)
    if (!fewer.empty() && continues(fewer.back(), l))
      fewer.back().count *= l.count;
    else
      fewer.push_back(l);
  return fewer;
}

template <class Real>
std::unique_ptr<line_runner<Real>> make_lines(const line_job& job, const std::string& engine, fourier::effort how) {
  if (job.is_on_complex) return make_lines<Real>(in_reals(job), engine, how);
  if (job.modes < job.length && engine == "cufft")
    throw usage_error(text("fft: in GPU memory all modes are kept; ", job.modes, " of ", job.length, " are asked for"));
  if (job.modes < job.length) return make_truncated_lines<Real>(job);
  return std::make_unique<engine_lines<Real>>(job, engine, how);
}
template std::unique_ptr<line_runner<float>> make_lines<float>(const line_job&, const std::string&, fourier::effort);
template std::unique_ptr<line_runner<double>> make_lines<double>(const line_job&, const std::string&, fourier::effort);

}  // namespace nearfar::fft
