// SPDX-License-Identifier: BSD-3-Clause
// The spectrum is read by a windowed sinc, for which the series is made twice as long with zeros.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <wavelet/kaiser.hpp>
#include <wavelet/time_dispersion.hpp>

namespace seismic {
namespace {

using std::numbers::pi;
using complex = std::complex<double>;

constexpr double kept_share = 0.75;  ///< of all frequencies; those above are weakened

/// Of what steps show, the highest frequency: samples have no more, and from waves of three steps on what is put back
/// to the ground's frequencies comes twice as late, and beyond the end of the series.
double highest_shown(double dt_s, double interval_s) { return std::min(pi / interval_s, 2 * pi / (3 * dt_s)); }

/// 1 up to the kept share of the highest frequency, 0 from there on.
double kept(double share) {
  if (share <= kept_share) return 1;
  return share >= 1 ? 0 : std::pow(std::cos(pi / 2 * (share - kept_share) / (1 - kept_share)), 2);
}

/// So many samples behind the last one a series goes on as it came, and fades: an end that is not 0 would have echoes.
std::size_t continuation(std::size_t samples) { return std::min<std::size_t>(samples - 1, 64); }

/// The sample in the middle of so many.
double middle(std::size_t samples) { return static_cast<double>(samples / 2); }

template <class T>
void continue_series(std::span<const T> series, std::span<complex> to) {
  const std::size_t samples = series.size(), more = continuation(samples);
  std::copy(series.begin(), series.end(), to.begin());
  const auto last = static_cast<double>(series.back());
  for (std::size_t n = 1; n <= more; ++n) {
    const double fade = std::pow(std::cos(pi / 2 * static_cast<double>(n) / static_cast<double>(more + 1)), 2);
    to[samples - 1 + n] = fade * (2 * last - static_cast<double>(series[samples - 1 - n]));
  }
}

class wavelet_of_steps : public wavelet {
 public:
  wavelet_of_steps(std::shared_ptr<const wavelet> of, double dt_s) : of_(std::move(of)), dt_s_(dt_s) {
    constexpr double beside = 16;  // steps
    first_ = std::lround(std::floor(of_->begin_s() / dt_s) - beside);
    const auto end = std::lround(std::ceil(of_->end_s() / dt_s) + beside);
    for (long n = first_; n <= end; ++n) values_.push_back(of_->at(static_cast<double>(n) * dt_s));
    const dispersion_map map(dispersion_map::direction::to_steps, dt_s, dt_s, static_cast<double>(first_) * dt_s,
                             values_.size());
    map(std::span(values_));
  }
  double at(double time_s) const override {
    const long n = std::lround(time_s / dt_s_) - first_;
    return n < 0 || n >= static_cast<long>(values_.size()) ? 0 : values_[static_cast<std::size_t>(n)];
  }
  double highest_frequency_hz(double share) const override { return of_->highest_frequency_hz(share); }
  double begin_s() const override { return of_->begin_s(); }
  double end_s() const override { return of_->end_s(); }
  std::string name() const override { return of_->name(); }

 private:
  std::shared_ptr<const wavelet> of_;
  double dt_s_;
  long first_ = 0;
  std::vector<double> values_;
};

}  // namespace

double shown_frequency(double of_ground, double dt_s) { return 2 * std::asin(of_ground * dt_s / 2) / dt_s; }
double ground_frequency(double shown, double dt_s) { return 2 * std::sin(shown * dt_s / 2) / dt_s; }

double dispersion_map::highest_hz(double dt_s, double interval_s) {
  return kept_share * highest_shown(dt_s, interval_s) / (2 * pi);
}

// What a pulse becomes is Airy's function, which falls off beyond (dt^2 t / 8)^(1/3).
double dispersion_map::reach_s(double dt_s, double time_s) { return 4 * std::cbrt(dt_s * dt_s * time_s / 8); }

dispersion_map::dispersion_map(direction to, double dt_s, double interval_s, double first_s, std::size_t samples)
    : continued_(samples + continuation(samples)), fourier_(power_of_two(2 * continued_)) {
  const auto length = static_cast<double>(fourier_.length());
  const double between = 2 * pi / (length * interval_s), highest = highest_shown(dt_s, interval_s);
  const bool is_shown = to == direction::to_steps;
  for (std::size_t j = 0; j <= fourier_.length() / 2; ++j) {
    const double result = static_cast<double>(j) * between;
    if (!is_shown && result * dt_s >= 2) break;
    const double from = is_shown ? ground_frequency(result, dt_s) : shown_frequency(result, dt_s);
    const double weight = kept((is_shown ? result : from) / highest), place = from / between;
    if (weight == 0) break;
    const double turn = (result - from) * first_s - 2 * pi * middle(continued_) * place / length;
    const double first = std::floor(place) + 1;  // of centred(): it is 16 places further there, and 15 lie before
    readings_.push_back({static_cast<std::size_t>(first), std::polar(weight / length, turn)});
    for (std::size_t n = 0; n < taps; ++n)
      weights_.push_back(static_cast<float>(
          kaiser_sinc(place + sample_half_width - first - static_cast<double>(n), sample_half_width, sample_window)));
  }
}

// At -k the spectrum of a real series is the conjugate of that at k, and it repeats.
std::vector<complex> dispersion_map::centred(std::span<const complex> spectrum) const {
  const auto length = static_cast<std::ptrdiff_t>(spectrum.size()), beside = std::ptrdiff_t{sample_half_width};
  std::vector<complex> all;
  all.reserve(spectrum.size() / 2 + 2 * taps);
  for (std::ptrdiff_t k = -beside; k <= length / 2 + beside; ++k) {
    const double turn = 2 * pi * middle(continued_) * static_cast<double>(k) / static_cast<double>(length);
    const std::ptrdiff_t at = (k % length + length) % length;  // short series repeat more than once
    all.push_back(spectrum[static_cast<std::size_t>(at)] * std::polar(1.0, turn));
  }
  return all;
}

template <class T>
void dispersion_map::map(std::span<T> samples) const {
  std::vector<complex> series(fourier_.length()), result(fourier_.length());
  continue_series(std::span<const T>(samples), std::span(series));
  fourier_(series);
  const std::vector<complex> spectrum = centred(series);
  for (std::size_t j = 0; j < readings_.size(); ++j) {
    const reading& r = readings_[j];
    complex sum{};
    for (std::size_t n = 0; n < taps; ++n) sum += static_cast<double>(weights_[j * taps + n]) * spectrum[r.first + n];
    sum *= r.turned;
    result[j] = std::conj(sum);  // so that the same transform leads back
    if (j > 0) result[result.size() - j] = sum;
  }
  fourier_(result);
  for (std::size_t n = 0; n < samples.size(); ++n) samples[n] = static_cast<T>(result[n].real());
}

void dispersion_map::operator()(std::span<float> samples) const { map(samples); }
void dispersion_map::operator()(std::span<double> samples) const { map(samples); }

std::unique_ptr<wavelet> for_steps(std::shared_ptr<const wavelet> of, double dt_s) {
  return std::make_unique<wavelet_of_steps>(std::move(of), dt_s);
}

// A wave of W is w / W - 1, or (W dt)^2 / 24, of its time early, which is a phase of W times that. So the time that
// makes the sum of squares over a spectrum s least is later by dt^2 / 24 times sum of W^4 s^2 over sum of W^2 s^2, or
// of second over first differences of the wavelet.
double time_stretch(std::span<const std::shared_ptr<const wavelet>> all, double dt_s) {
  double bends = 0, slopes = 0;
  for (const auto& w : all)
    for (double t = std::max(0.0, w->begin_s()); t < w->end_s(); t += dt_s) {
      const double before = w->at(t - dt_s), here = w->at(t), behind = w->at(t + dt_s);
      bends += std::pow(behind - 2 * here + before, 2), slopes += std::pow(behind - here, 2);
    }
  return slopes > 0 ? 1 + bends / slopes / 24 : 1;
}

}  // namespace seismic
