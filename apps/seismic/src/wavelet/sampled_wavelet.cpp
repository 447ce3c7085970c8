// SPDX-License-Identifier: BSD-3-Clause
// Wavelets that are samples, given or in a file.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <common/own_file.hpp>
#include <complex>
#include <files/npy.hpp>
#include <nearfar/error.hpp>
#include <wavelet/fourier.hpp>
#include <wavelet/resample.hpp>
#include <wavelet/wavelet.hpp>

namespace seismic {
namespace {

constexpr std::size_t most_samples = 1000000;

class sampled : public wavelet {
 public:
  sampled(std::vector<double> samples, double interval_s, double delay_s, std::string name)
      : samples_(std::move(samples)), interval_s_(interval_s), delay_s_(delay_s), name_(std::move(name)) {}

  double at(double time_s) const override {
    return between_samples(std::span<const double>(samples_), (time_s - delay_s_) / interval_s_);
  }
  double highest_frequency_hz(double share) const override {
    return seismic::highest_frequency_hz(samples_, interval_s_, share);
  }
  double begin_s() const override { return delay_s_ - interval_s_ * sample_half_width; }
  double end_s() const override {
    return delay_s_ + interval_s_ * static_cast<double>(samples_.size() - 1 + sample_half_width);
  }
  std::string name() const override { return name_; }

 private:
  std::vector<double> samples_;
  double interval_s_, delay_s_;
  std::string name_;
};

std::string text_of(const std::string& path) {
  constexpr std::int64_t most_bytes = 64 << 20;
  const apps::own_file file = apps::own_file::to_read(path);
  const std::int64_t bytes = file.size();
  if (bytes > most_bytes)
    throw nearfar::io_error(path + " has " + std::to_string(bytes) + " bytes: a wavelet as text has at most " +
                            std::to_string(most_bytes));
  std::string text(static_cast<std::size_t>(bytes), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

void append_numbers(std::string_view line, std::size_t number, const std::string& path, std::vector<double>& to) {
  constexpr std::string_view blanks = " \t\r,;";
  line = line.substr(0, line.find('#'));
  while (true) {
    const auto from = line.find_first_not_of(blanks);
    if (from == std::string_view::npos) return;
    line.remove_prefix(from);
    const std::string_view word = line.substr(0, line.find_first_of(blanks));
    double value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || stop != word.data() + word.size())
      throw nearfar::io_error(path + ", line " + std::to_string(number) + ": '" + std::string(word.substr(0, 40)) +
                              "' is not a number");
    to.push_back(value);
    line.remove_prefix(word.size());
  }
}

std::vector<double> numbers_of_text(const std::string& path) {
  const std::string text = text_of(path);
  std::vector<double> all;
  std::size_t number = 1;
  for (std::string_view rest = text; !rest.empty(); ++number) {
    const auto end = std::min(rest.find('\n'), rest.size());
    append_numbers(rest.substr(0, end), number, path, all);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return all;
}

}  // namespace

double highest_frequency_hz(std::span<const double> samples, double interval_s, double share) {
  const std::size_t length = power_of_two(std::max<std::size_t>(64, 4 * samples.size()));
  std::vector<std::complex<double>> spectrum(length);
  std::copy(samples.begin(), samples.end(), spectrum.begin());
  fourier_transform{length}(spectrum);
  double most = 0;
  for (std::size_t i = 0; i <= length / 2; ++i) most = std::max(most, std::abs(spectrum[i]));
  std::size_t highest = length / 2;
  while (highest > 0 && std::abs(spectrum[highest]) < share * most) --highest;
  return static_cast<double>(highest) / (static_cast<double>(length) * interval_s);
}

std::unique_ptr<wavelet> sampled_wavelet(std::vector<double> samples, double interval_s, double delay_s,
                                         std::string name) {
  if (!(interval_s > 0) || !std::isfinite(interval_s))
    throw nearfar::usage_error(name + ": the interval between samples is " + std::to_string(interval_s) +
                               " s: it must be above 0");
  if (samples.empty() || samples.size() > most_samples)
    throw nearfar::usage_error(name + ": " + std::to_string(samples.size()) +
                               " samples: a wavelet has from 1 to 1000000");
  const auto wrong = std::find_if_not(samples.begin(), samples.end(), [](double v) { return std::isfinite(v); });
  if (wrong != samples.end())
    throw nearfar::usage_error(name + ": sample " + std::to_string(wrong - samples.begin()) + " is " +
                               std::to_string(*wrong) + ": samples are finite numbers");
  if (std::all_of(samples.begin(), samples.end(), [](double v) { return v == 0; }))
    throw nearfar::usage_error(name + ": all samples of the wavelet are 0");
  return std::make_unique<sampled>(std::move(samples), interval_s, delay_s, std::move(name));
}

std::unique_ptr<wavelet> wavelet_of_file(const std::string& path, double interval_s, double delay_s) {
  std::vector<double> samples =
      path.ends_with(".npy") ? npy_vector(path, static_cast<index_t>(most_samples)) : numbers_of_text(path);
  return sampled_wavelet(std::move(samples), interval_s, delay_s, path);
}

}  // namespace seismic
