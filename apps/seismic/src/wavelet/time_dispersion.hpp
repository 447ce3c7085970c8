// SPDX-License-Identifier: BSD-3-Clause
// What the leap-frog does to frequencies, and how it is taken out of traces.
//
// The leap-frog solves the equation exactly, but for other frequencies: where the ground has the angular frequency W,
// steps of dt show w = 2 asin(W dt / 2) / dt, whatever the medium, the path and the differences in space. So it is
// driven by a series whose spectrum at w is the wavelet's at W, and what receivers record at w is put back to W. A
// trace is then what steps without an error in time would have recorded.
//
// @source Stork 2013 (EAGE 75, Tu 07 06) and Wang and Xu 2015 (Geophysics 80, WD19) in their purpose; Koene,
// Robertsson, Broggini and Andersson 2018 (Geophysical Journal International 213, 169), whose two transforms are these:
// that of the wavelet before, and the inverse of the traces behind. The sums by a Fourier transform that is read
// between its frequencies are ours
#pragma once

#include <memory>
#include <span>
#include <vector>
#include <wavelet/fourier.hpp>
#include <wavelet/resample.hpp>
#include <wavelet/wavelet.hpp>

namespace seismic {

/// Angular frequencies: what steps show of one of the ground, and the reverse.
double shown_frequency(double of_ground, double dt_s);
double ground_frequency(double shown, double dt_s);

/// Puts the spectra of equally long series to other frequencies.
class dispersion_map {
 public:
  enum class direction {
    to_steps,   ///< from the ground's frequencies to those that steps show
    from_steps  ///< the reverse
  };
  /// @param first_s  the time of the first sample
  dispersion_map(direction to, double dt_s, double interval_s, double first_s, std::size_t samples);
  /// In place. Frequencies above highest_hz() are weakened, and gone above 4/3 of it. Any thread.
  void operator()(std::span<float> samples) const;
  void operator()(std::span<double> samples) const;

  /// A sample of the ground needs those of steps that come so much later, at most, up to this time.
  static double reach_s(double dt_s, double time_s);
  /// Up to this frequency of what steps show all is kept, if samples are so far apart.
  static double highest_hz(double dt_s, double interval_s);

 private:
  static constexpr std::size_t taps = 2 * sample_half_width;
  /// A frequency of the result: where in the spectrum it is read.
  struct reading {
    std::size_t first;  ///< of `taps` of what centred() gives
    std::complex<double> turned;
  };
  template <class T>
  void map(std::span<T> samples) const;
  /// From 16 frequencies below 0 to as many above the highest one, with the middle of the series at time 0.
  std::vector<std::complex<double>> centred(std::span<const std::complex<double>> spectrum) const;

  std::size_t continued_;  ///< the length of a series with what goes on behind it
  fourier_transform fourier_;
  std::vector<reading> readings_;
  std::vector<float> weights_;  ///< `taps` of each reading
};

/// A wavelet for steps of dt: at() is for whole steps alone; frequencies, beginning and end are those of `of`.
std::unique_ptr<wavelet> for_steps(std::shared_ptr<const wavelet> of, double dt_s);

/// What a field at one step stands for: since waves of all frequencies are early, each by its own share, the time at
/// which the ground's are closest to it, by least squares over the wavelets' spectrum, over that of the steps.
double time_stretch(std::span<const std::shared_ptr<const wavelet>> all, double dt_s);

}  // namespace seismic
