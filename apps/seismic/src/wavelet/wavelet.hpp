// SPDX-License-Identifier: BSD-3-Clause
// What a source does in time: Ricker's wavelet, the one of the Fletcher mini-app, samples of a file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace seismic {

/// The share of the largest amplitude of a spectrum below which nothing is said to be in it: -60 dB.
inline constexpr double usual_share_of_peak = 1e-3;

/// A function of time without a unit: the amplitude is the source's.
class wavelet {
 public:
  virtual ~wavelet() = default;
  /// @param time_s  since the run began, any; what lies beyond the wavelet is 0 or as good as 0
  virtual double at(double time_s) const = 0;
  /// Above it the amplitude spectrum stays below `share` of its largest value.
  virtual double highest_frequency_hz(double share = usual_share_of_peak) const = 0;
  /// Until then it stays below 1e-6 of its largest value, or has not begun.
  virtual double begin_s() const = 0;
  /// From then on it stays below 1e-6 of its largest value, or is over.
  virtual double end_s() const = 0;
  virtual std::string name() const = 0;
};

/// Shares of a wavelet's energy, the sum of its squares, that lie before time 0 and from `end_s` on.
struct cut_shares {
  double before = 0, behind = 0;
};
cut_shares cut_of(const wavelet& w, double end_s);

/// (1 - 2x) exp(-x) with x = (pi f (t - delay))^2. @source Ricker 1953; its spectrum is f^2 exp(-(f / peak)^2)
std::unique_ptr<wavelet> ricker_wavelet(double peak_hz, double delay_s);

/// After so long Ricker's wavelet begins at 1e-8 of its largest value.
double usual_ricker_delay_s(double peak_hz);

/// (1 - 2x) exp(-x) with x = pi^3 (f_c tau)^2, f_c = cut / (3 sqrt(pi)), tau = t - 2 sqrt(pi) / cut: Ricker's with a
/// peak at a third of the cut-off frequency, which the mini-app has as 40 Hz. @source the Fletcher mini-app, source.c
std::unique_ptr<wavelet> fletcher_wavelet(double cut_hz = 40);

/// Samples at 0, interval, 2 interval, ... after `delay_s`, and zeros around them; between them as between_samples()
/// has it.
/// @throws nearfar::usage_error  no sample, one that is not finite, all zero, an interval that is not positive
std::unique_ptr<wavelet> sampled_wavelet(std::vector<double> samples, double interval_s, double delay_s,
                                         std::string name);

/// Numbers in a text file (one a line or several, # begins a comment), or a vector in an NPY file (*.npy); at most a
/// million.
/// @throws nearfar::io_error  not there, not such a file; nearfar::usage_error as above
std::unique_ptr<wavelet> wavelet_of_file(const std::string& path, double interval_s, double delay_s);

/// The largest frequency at which the amplitude spectrum of these samples reaches `share` of its largest value, by a
/// Fourier transform over at least four times their length.
double highest_frequency_hz(std::span<const double> samples, double interval_s, double share);

}  // namespace seismic
