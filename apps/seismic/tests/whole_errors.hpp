// SPDX-License-Identifier: BSD-3-Clause
// The whole error of a run as a user makes it, in space and in time: its gather against the exact field.
#pragma once

#include <app/run.hpp>
#include <array>
#include <cmath>
#include <fstream>
#include <nearfar/error.hpp>
#include <nearfar/team.hpp>
#include <numbers>
#include <string>
#include <vector>

namespace seismic::test {

/// A source of Ricker's wavelet of 15 Hz in ground of 2000 m/s, points every 10 m, the step that the program chooses.
/// Errors are relative L2 after a path along x: of the pressure, of its derivative along x and of the velocity along x.
struct whole_error_run {
  static constexpr double m_s = 2000, kg_m3 = 1500, peak_hz = 15, delay_s = 0.1, h = 10;
  static constexpr std::array<const char*, 3> endings{"", "_dpdx", "_vx"};
  std::string folder;

  /// Between sides that repeat, 80 m apart, the mean over the points across is a wave in one dimension,
  /// p = c / (2 L) times the integral of the wavelet from 0 to t - x / c, and v = p / (rho c).
  std::array<double, 3> in_one_dimension(const nearfar::team& team, double path_m) const {
    constexpr index_t across = 8;
    // A wave around the grid comes after the end.
    const auto points = static_cast<index_t>((2 * path_m + 1500) / h);
    shoot(team, path_m,
          {"grid.points=[" + std::to_string(points) + ", 1, 8]", "sides.kind=periodic", "sources.position=[200, 0, 0]",
           "receivers.first=" + place(200 + path_m, 0), "receivers.step=[0, 0, 10]", "receivers.count=[1, 1, 8]"});
    constexpr double size = m_s / (2 * across * h);
    return errors(across, [&](double t) {
      const wavelet_values s = wavelet_at(t - path_m / m_s);
      return std::array{size * s.integral, -size * s.value / m_s, size * s.integral / (kg_m3 * m_s)};
    });
  }

  /// In three dimensions, with 30 cells of C-PML 200 m beside the path: p = s(t - r / c) / (4 pi r).
  std::array<double, 3> in_three_dimensions(const nearfar::team& team, double path_m) const {
    const auto points = static_cast<index_t>(path_m / h) + 41;
    shoot(team, path_m,
          {"grid.points=[" + std::to_string(points) + ", 41, 41]", "sides.cells=30",
           "sources.position=" + place(200, 200), "receivers.at=[" + place(200 + path_m, 200) + "]"});
    const double size = 1 / (4 * std::numbers::pi * path_m);
    return errors(1, [&](double t) {
      const wavelet_values s = wavelet_at(t - path_m / m_s);
      return std::array{size * s.value, -size * (s.slope / m_s + s.value / path_m),
                        size * (s.value / m_s + s.integral / path_m) / kg_m3};
    });
  }

 private:
  struct wavelet_values {
    double value, slope, integral;
  };
  static wavelet_values wavelet_at(double time_s) {
    const double t = time_s - delay_s, c = std::pow(std::numbers::pi * peak_hz, 2), a = c * t * t, gauss = std::exp(-a);
    return {(1 - 2 * a) * gauss, 2 * c * t * (2 * a - 3) * gauss, t * gauss};
  }
  static std::string place(double x_m, double across_m) {
    const std::string across = std::to_string(std::lround(across_m));
    return "[" + std::to_string(std::lround(x_m)) + ", " + (across_m > 0 ? across : "0") + ", " + across + "]";
  }
  /// Of the mean over so many traces from what it should be at a time.
  template <class Exact>
  std::array<double, 3> errors(std::size_t traces, const Exact& exact) const {
    std::array<double, 3> relative{};
    for (std::size_t q = 0; q < 3; ++q) {
      const std::vector<float> values = gather(endings[q]);
      const std::size_t samples = values.size() / traces;
      double off = 0, all = 0;
      for (std::size_t n = 0; n < samples; ++n) {
        double is = 0;
        for (std::size_t k = 0; k < traces; ++k)
          is += static_cast<double>(values[k * samples + n]) / static_cast<double>(traces);
        const double should = exact(0.002 * static_cast<double>(n))[q];
        off += (is - should) * (is - should), all += should * should;
      }
      relative[q] = all > 0 ? std::sqrt(off / all) : 1;
    }
    return relative;
  }

  void shoot(const nearfar::team& team, double path_m, std::vector<std::string> keys) const {
    keys.insert(keys.end(),
                {"grid.spacing=[10, 10, 10]", "model.vp=2000", "sources.frequency=15", "sources.delay=0.1",
                 "receivers.quantities=['pressure', 'dp/dx', 'vx']", "receivers.density=1500",
                 "time.end=" + std::to_string(path_m / m_s + 2 * delay_s), "gathers.file='" + folder + "/gather.rsf'",
                 "gathers.format=rsf", "gathers.interval=0.002", "run.threads=1", "run.device=cpu"});
    constexpr const char* lists = "[[sources]]\n[[receivers]]\n";
    run_shot(team, settings_in(lists, "whole errors", keys), {}, {});
  }

  /// All traces, one after the other.
  std::vector<float> gather(const std::string& ending) const {
    std::ifstream in(folder + "/gather" + ending + ".rsf@", std::ios::binary);
    std::vector<float> values;
    for (float v = 0; in.read(reinterpret_cast<char*>(&v), sizeof v);) values.push_back(v);
    return values;
  }
};

}  // namespace seismic::test
