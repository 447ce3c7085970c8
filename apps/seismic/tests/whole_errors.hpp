// SPDX-License-Identifier: BSD-3-Clause
// The whole error of a run as a user makes it, in space and in time: its gather against the exact field.
#pragma once

#include <app/run.hpp>
#include <cmath>
#include <fstream>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <numbers>
#include <string>
#include <vector>

namespace seismic::test {

/// A source of Ricker's wavelet of 15 Hz in ground of 2000 m/s, points every 10 m, the step that the program chooses.
struct whole_error_run {
  static constexpr double m_s = 2000, peak_hz = 15, delay_s = 0.1, h = 10;
  std::string folder;

  /// Between sides that repeat, 80 m apart, the mean over the points across is a wave in one dimension,
  /// p = c / (2 L) times the integral of the wavelet from 0 to t - x / c. Relative L2 after that path.
  double in_one_dimension(const nearfar::team& team, double path_m) const {
    constexpr index_t across = 8;
    // A wave around the grid comes after the end.
    const auto points = static_cast<index_t>((2 * path_m + 1500) / h);
    const std::vector<float> all = gather(
        team, path_m,
        {"grid.points=[" + std::to_string(points) + ", 1, 8]", "sides.kind=periodic", "sources.position=[200, 0, 0]",
         "receivers.first=" + place(200 + path_m, 0), "receivers.step=[0, 0, 10]", "receivers.count=[1, 1, 8]"});
    const std::size_t samples = all.size() / across;
    return error(samples, [&](std::size_t n) {
      double sum = 0;
      for (std::size_t k = 0; k < across; ++k) sum += static_cast<double>(all[k * samples + n]) / across;
      const double t = time(n) - path_m / m_s - delay_s;
      const double integral = t * std::exp(-std::pow(std::numbers::pi * peak_hz * t, 2));
      return std::pair{sum, m_s / (2 * across * h) * integral};
    });
  }

  /// In three dimensions, with 30 cells of C-PML 200 m beside the path: p = s(t - r / c) / (4 pi r).
  double in_three_dimensions(const nearfar::team& team, double path_m) const {
    const auto points = static_cast<index_t>(path_m / h) + 41;
    const std::vector<float> all =
        gather(team, path_m,
               {"grid.points=[" + std::to_string(points) + ", 41, 41]", "sides.cells=30",
                "sources.position=" + place(200, 200), "receivers.at=[" + place(200 + path_m, 200) + "]"});
    return error(all.size(), [&](std::size_t n) {
      const double t = time(n) - path_m / m_s - delay_s, a = std::pow(std::numbers::pi * peak_hz * t, 2);
      return std::pair{static_cast<double>(all[n]), (1 - 2 * a) * std::exp(-a) / (4 * std::numbers::pi * path_m)};
    });
  }

 private:
  static double time(std::size_t n) { return 0.002 * static_cast<double>(n); }
  static std::string place(double x_m, double across_m) {
    const std::string across = std::to_string(std::lround(across_m));
    return "[" + std::to_string(std::lround(x_m)) + ", " + (across_m > 0 ? across : "0") + ", " + across + "]";
  }
  template <class IsAndShould>
  static double error(std::size_t samples, const IsAndShould& at) {
    double off = 0, all = 0;
    for (std::size_t n = 0; n < samples; ++n) {
      const auto [is, should] = at(n);
      off += (is - should) * (is - should), all += should * should;
    }
    return all > 0 ? std::sqrt(off / all) : 1;
  }

  /// All traces, one after the other.
  std::vector<float> gather(const nearfar::team& team, double path_m, std::vector<std::string> keys) const {
    const std::string file = folder + "/gather.rsf";
    keys.insert(keys.end(), {"grid.spacing=[10, 10, 10]", "model.vp=2000", "sources.frequency=15", "sources.delay=0.1",
                             "time.end=" + std::to_string(path_m / m_s + 2 * delay_s), "gathers.file='" + file + "'",
                             "gathers.format=rsf", "gathers.interval=0.002", "run.threads=1", "run.device=cpu"});
    constexpr const char* lists = "[[sources]]\n[[receivers]]\n";
    run_shot(team, settings_in(lists, "whole errors", keys), {}, {});
    std::ifstream in(file + "@", std::ios::binary);
    std::vector<float> values;
    for (float v = 0; in.read(reinterpret_cast<char*>(&v), sizeof v);) values.push_back(v);
    return values;
  }
};

}  // namespace seismic::test
