// SPDX-License-Identifier: BSD-3-Clause
// What the snapshots of the output benchmark hold, and whether files hold it too.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <thread>

#include "bench_output.hpp"
#include "harness/report.hpp"

namespace bench {

namespace {

using nearfar::index_t;

/// A spherical wave from the middle of the grid: a pulse that runs outwards and grows weaker, and the faint ringing
/// that it leaves behind. Amplitudes come from a table over the radius, which has to be made anew for each step only.
class wave {
 public:
  wave(const output_experiment& e, const output_part& part) : radii_(static_cast<std::size_t>(part.elements)) {
    std::array<double, 3> middle{};
    for (std::size_t d = 0; d < 3; ++d)
      middle[d] = 0.5 * static_cast<double>(e.grid[d] - 1), most_ += middle[d] * middle[d];
    most_ = std::sqrt(most_);
    amplitudes_.resize(static_cast<std::size_t>(most_ * per_cell) + 3);
    std::size_t i = 0;
    for (index_t z = part.first_plane; z < part.first_plane + part.planes; ++z)
      for (index_t y = 0; y < e.grid[1]; ++y)
        for (index_t x = 0; x < e.grid[2]; ++x)
          radii_[i++] = static_cast<float>(per_cell * std::hypot(static_cast<double>(z) - middle[0],
                                                                 static_cast<double>(y) - middle[1],
                                                                 static_cast<double>(x) - middle[2]));
  }

  /// `reached`: share of the way to the corners that the wave has come.
  void fill(double reached, float* to) {
    for (std::size_t r = 0; r < amplitudes_.size(); ++r)
      amplitudes_[r] = amplitude(static_cast<double>(r) / per_cell, reached * (most_ + wavelength));
    for (std::size_t i = 0; i < radii_.size(); ++i) {
      const auto below = static_cast<int>(radii_[i]);
      const float part = radii_[i] - static_cast<float>(below);
      const float* a = amplitudes_.data() + below;
      to[i] = a[0] + part * (a[1] - a[0]);
    }
  }

  /// What fill() gives for an element of the whole grid, but for the table's error.
  static double value(const output_experiment& e, index_t element, double reached) {
    double square = 0, most = 0;
    for (std::size_t d = 3; d-- > 0; element /= e.grid[d]) {
      const double middle = 0.5 * static_cast<double>(e.grid[d] - 1),
                   off = static_cast<double>(element % e.grid[d]) - middle;
      square += off * off, most += middle * middle;
    }
    return amplitude(std::sqrt(square), reached * (std::sqrt(most) + wavelength));
  }

 private:
  static constexpr double per_cell = 16, wavelength = 12;  // entries of the table; cells
  static float amplitude(double radius, double front) {
    const double behind = front - wavelength - radius, u = std::numbers::pi * behind / wavelength;
    const double pulse = (1 - 2 * u * u) * std::exp(-u * u);
    const double ringing = behind > 0 ? 0.05 * std::sin(1.3 * u) * std::exp(-behind / (8 * wavelength)) : 0;
    return static_cast<float>((pulse + ringing) * wavelength / (wavelength + radius));
  }
  double most_ = 0;  // cells from the middle to a corner
  std::vector<float> radii_, amplitudes_;
};

void fill_ramp(const output_part& part, int step, float* mine) {
  const int first = static_cast<int>(part.first & 1023);
  for (index_t i = 0; i < part.elements; ++i)
    mine[i] = static_cast<float>(((first + static_cast<int>(i & 1023)) & 1023) + step);
}

/// After the last frame the wave begins again.
double reached_at(const output_experiment& e, index_t step) {
  return static_cast<double>(step % e.frames + 1) / e.frames;
}

void fill_wave(const output_experiment& e, const output_part& part, int step, float* mine) {
  static wave w(e, part);  // of one experiment per run
  w.fill(reached_at(e, step), mine);
}

bool is_value_right(const output_experiment& e, index_t element, index_t step, float value) {
  if (e.is_wave) return std::abs(value - wave::value(e, element, reached_at(e, step))) < 1e-3;
  return value == static_cast<float>((element & 1023) + step);
}

}  // namespace

double clock_s() { return now_s(); }

output_part output_experiment::part_of(int computing_rank) const {
  output_part p;
  const index_t ranks = who.computing, r = computing_rank, plane = grid[1] * grid[2];
  p.first_plane = grid[0] * r / ranks;
  p.planes = grid[0] * (r + 1) / ranks - p.first_plane;
  p.first = p.first_plane * plane, p.elements = p.planes * plane;
  return p;
}

void compute_step(const output_experiment& e, int step, float* mine) {
  const double until = now_s() + e.compute_s;
  if (e.is_wave)
    fill_wave(e, e.own_part(), step, mine);
  else
    fill_ramp(e.own_part(), step, mine);
  if (e.is_spinning) {
    volatile double sink = 0;
    while (now_s() < until)
      for (int i = 0; i < 1000; ++i) sink = sink + 1;
  } else if (const double left = until - now_s(); left > 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(left));
  }
}

bool is_raw_file_right(const output_experiment& e) {
  std::ifstream in(e.raw_path(), std::ios::binary);
  in.seekg(0, std::ios::end);
  const auto frames = static_cast<index_t>(in.tellg()) / e.bytes();
  if (frames < e.frames) return false;
  for (index_t step = 0; step < frames; ++step)
    for (const index_t i : {index_t{0}, e.bytes() / 8 + 77, e.bytes() / 4 - 1}) {
      float value = 0;
      in.seekg(step * e.bytes() + 4 * i);
      in.read(reinterpret_cast<char*>(&value), sizeof value);
      if (!in || !is_value_right(e, i, step, value)) return false;
    }
  return true;
}

namespace {

template <class Do>
void for_each_own(const output_experiment& e, Do what) {
  for (const auto& entry : std::filesystem::directory_iterator(e.folder))
    if (entry.path().filename().string().starts_with("bench_output.")) what(entry);
}

}  // namespace

bool have_files(const output_experiment& e, const std::string& end, index_t bytes) {
  for_each_own(e, [&](const auto& own) {
    if (!own.path().string().ends_with(end)) return;
    if (own.is_regular_file()) bytes -= static_cast<index_t>(own.file_size());
    if (!own.is_directory()) return;
    for (const auto& in : std::filesystem::recursive_directory_iterator(own))
      if (in.is_regular_file()) bytes -= static_cast<index_t>(in.file_size());
  });
  return bytes <= 0;
}

void remove_files(const output_experiment& e) {
  std::vector<std::filesystem::path> own;
  for_each_own(e, [&](const auto& entry) { own.push_back(entry.path()); });
  for (const auto& path : own) std::filesystem::remove_all(path);
}

void sleep_until_all_are_here() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int is_done = 0; is_done == 0;) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace bench
