// SPDX-License-Identifier: BSD-3-Clause
// Lines of which only some modes exist: Nearfar's engine reads the others from zeros, or stores them in scratch memory.
#include <algorithm>
#include <fourier/pieces.hpp>

#include "lines.hpp"

namespace nearfar::fft {
namespace {

constexpr index_t lines_at_once = 256;

/// How the entries of the transform's spectral line, `entries` of them, are taken from those that exist.
struct split {
  explicit split(const line_job& job) {
    const bool is_real = fourier::is_real_to_real(job.what);
    const bool is_half = job.what == fourier::kind::real_to_complex || job.what == fourier::kind::complex_to_real;
    entries = is_half ? job.length / 2 + 1 : job.length;
    low = is_real ? job.modes : (job.modes + 1) / 2;
    has_middle = !is_real && job.modes % 2 == 0;
    has_opposite = has_middle && !is_half;
    high = is_real || is_half ? 0 : job.modes - low - has_middle;
  }
  index_t entries, low, high;  ///< modes below the middle, negative ones above it
  bool has_middle;             ///< mode m/2
  bool has_opposite;           ///< -m/2 is an entry of its own in the long line
};

template <class Real>
class truncated_lines : public line_runner<Real> {
 public:
  explicit truncated_lines(const line_job& job)
      : job_(job),
        split_(job),
        engine_(job.what, job.length),
        in_reals_(fourier::is_complex_in(job.what) ? 2 : 1),
        out_reals_(fourier::is_complex_out(job.what) ? 2 : 1),
        loops_(joined(job.loops)),
        spare_(as_size(2 * lines_at_once)),
        middle_(as_size(2 * lines_at_once)) {
    if (loops_.empty()) loops_.emplace_back();
  }
  void run(const void* in, void* out) override {
    run_loop(loops_.size() - 1, static_cast<const Real*>(in), static_cast<Real*>(out));
  }
  std::string describe() const override { return engine_.describe(); }

 private:
  void run_loop(std::size_t level, const Real* in, Real* out) {
    const fourier::loop& l = loops_[level];
    const index_t at_once = level == 0 ? lines_at_once : 1;
    for (index_t i = 0; i < l.count; i += at_once) {
      const Real* from = in + i * l.in_stride * in_reals_;
      Real* to = out + i * l.out_stride * out_reals_;
      if (level > 0)
        run_loop(level - 1, from, to);
      else
        run_lines(from, to, std::min(at_once, l.count - i));
    }
  }

  void run_lines(const Real* in, Real* out, index_t count) {
    const fourier::line_shape whole{job_.what, job_.length};
    const fourier::line_range range{{0, 0}, {count, 1}};
    sources_.clear(), targets_.clear();
    if (job_.is_spectral_in) {
      take_middle(in, count);
      add_spectral_pieces(const_cast<Real*>(in), in_reals_, job_.in_stride, loops_[0].in_stride);
      for (const auto& p : targets_) sources_.push_back({p.begin, p.end, p.base, p.stride, p.line_stride});
      const fourier::target_piece all{0, whole.out_length(), out, job_.out_stride, {loops_[0].out_stride, 0}};
      engine_.run(range, sources_, {&all, 1});
    } else {
      add_spectral_pieces(out, out_reals_, job_.out_stride, loops_[0].out_stride);
      const fourier::source_piece all{0, whole.in_length(), in, job_.in_stride, {loops_[0].in_stride, 0}};
      engine_.run(range, {&all, 1}, targets_);
      put_middle(out, count);
    }
  }

  void add(index_t begin, index_t end, Real* at, index_t stride, index_t line_stride) {
    if (begin < end) targets_.push_back({begin, end, at, stride, {line_stride, 0}});
  }

  void add_spectral_pieces(Real* at, int reals, index_t stride, index_t line_stride) {
    const split& s = split_;
    const index_t above = s.entries - s.high;
    add(0, s.low, at, stride, line_stride);
    if (s.has_middle && job_.is_spectral_in) add(s.low, s.low + 1, middle_.data(), 0, 1);
    if (s.has_middle && !job_.is_spectral_in) add(s.low, s.low + 1, at + reals * s.low * stride, stride, line_stride);
    add(s.low + s.has_middle, above - s.has_opposite, spare_.data(), 0, 1);
    if (s.has_opposite) add(above - 1, above, middle_.data(), 0, 1);
    add(above, s.entries, at + reals * (s.low + s.has_middle) * stride, stride, line_stride);
  }

  /// Half of mode m/2 for each of m/2 and -m/2; of a real line these are conjugate, and so real.
  void take_middle(const Real* in, index_t count) {
    if (!split_.has_middle || !job_.is_nyquist_kept) return;  // stays zero
    for (index_t i = 0; i < count; ++i) {
      const Real* at = in + 2 * (split_.low * job_.in_stride + i * loops_[0].in_stride);
      middle_[as_size(2 * i)] = at[0] / 2;
      middle_[as_size(2 * i + 1)] = split_.has_opposite ? at[1] / 2 : 0;
    }
  }

  /// The sum of modes m/2 and -m/2.
  void put_middle(Real* out, index_t count) {
    if (!split_.has_middle) return;
    for (index_t i = 0; i < count; ++i) {
      Real* at = out + 2 * (split_.low * job_.out_stride + i * loops_[0].out_stride);
      const Real* opposite = &middle_[as_size(2 * i)];
      const Real sum[] = {split_.has_opposite ? at[0] + opposite[0] : 2 * at[0],
                          split_.has_opposite ? at[1] + opposite[1] : 0};
      at[0] = job_.is_nyquist_kept ? sum[0] : 0;
      at[1] = job_.is_nyquist_kept ? sum[1] : 0;
    }
  }

  line_job job_;
  split split_;
  fourier::bundle_engine<Real> engine_;
  int in_reals_, out_reals_;
  std::vector<fourier::loop> loops_;
  std::vector<Real> spare_, middle_;  ///< one element of each of the lines at once
  std::vector<fourier::source_piece> sources_;
  std::vector<fourier::target_piece> targets_;
};

}  // namespace

template <class Real>
std::unique_ptr<line_runner<Real>> make_truncated_lines(const line_job& job) {
  return std::make_unique<truncated_lines<Real>>(job);
}
template std::unique_ptr<line_runner<float>> make_truncated_lines<float>(const line_job&);
template std::unique_ptr<line_runner<double>> make_truncated_lines<double>(const line_job&);

}  // namespace nearfar::fft
