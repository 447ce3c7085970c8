// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <mpi.h>
#include <algorithm>
#include <app/ground.hpp>
#include <app/model_files.hpp>
#include <app/report.hpp>
#include <app/run.hpp>
#include <app/snapshots.hpp>
#include <cmath>
#include <common/agreement.hpp>
#include <common/progress.hpp>
#include <cstdio>
#include <files/rsf.hpp>
#include <files/segy.hpp>
#include <nearfar/error.hpp>
#include <optional>
#include <solver/shot.hpp>

namespace seismic {

namespace {

std::shared_ptr<const wavelet> wavelet_of(const source_settings& s) {
  switch (s.wavelet) {
    case wavelet_kind::ricker:
      return ricker_wavelet(s.frequency_hz, s.delay_s.value_or(1.5 / s.frequency_hz));
    case wavelet_kind::fletcher:
      return fletcher_wavelet(s.frequency_hz);
    case wavelet_kind::file:
      return wavelet_of_file(s.file, s.interval_s, s.delay_s.value_or(0));
  }
  return nullptr;
}

/// Where sources and receivers may be: the inner grid, in numbers of all points.
nearfar::box inner_box(const ground& g) {
  nearfar::box b = g.all.whole();
  for (std::size_t d = 0; d < 3; ++d)
    b.lower[d] += g.layers.low(static_cast<int>(d)), b.upper[d] -= g.layers.high(static_cast<int>(d));
  return b;
}

spreading spreading_of(const settings& s) {
  return {s.run.tap_half_width, usual_window(s.run.tap_half_width), s.sides.has_free_surface};
}

acquisition acquisition_of(const settings& s, const ground& g) {
  acquisition a;
  const nearfar::box from = inner_box(g);
  for (std::size_t n = 0; n < s.sources.size(); ++n)
    a.sources.push_back(
        {weights_of(s.sources[n].where_m, g.all, from, spreading_of(s), "source " + std::to_string(n + 1)),
         wavelet_of(s.sources[n]), s.sources[n].amplitude, s.sources[n].scaling == source_scaling::physical});
  for (std::size_t n = 0; n < s.receivers_m.size(); ++n)
    a.receivers.push_back(
        weights_of(s.receivers_m[n], g.all, from, spreading_of(s), "receiver " + std::to_string(n + 1)));
  return a;
}

double highest_frequency(const acquisition& a) {
  double highest = 0;
  for (const auto& source : a.sources) highest = std::max(highest, source.in_time->highest_frequency_hz());
  return highest;
}

/// Fewer points in the shortest wave than this, and errors of phase are a tenth of a wave after some tens of waves.
double least_points(int order) { return order == 4 ? 5 : order == 8 ? 3 : 2.5; }

void check_wavelet(const settings& s, const ground& g, double highest_hz) {
  const double points = points_per_wavelength(g.facts, g.inner, highest_hz), least = least_points(s.order);
  if (highest_hz == 0 || points >= least) return;
  char words[300];
  std::snprintf(
      words, sizeof words,
      "the grid is too coarse for the sources: %.1f Hz have %.2f points in the shortest wave, and order %d needs %.1f; "
      "up to %.1f Hz are good, or a spacing of %.3g times this one",
      highest_hz, points, s.order, least, largest_frequency_hz(g.facts, g.inner, least), points / least);
  throw nearfar::usage_error(words);
}

propagator_options options_of(const settings& s, const ground& g, const acquisition& a) {
  propagator_options o;
  o.system = g.system, o.order = s.order, o.dt_s = s.time.step_s.value_or(0), o.divided_s = s.gathers.interval_s,
  o.sides = s.sides.kind;
  o.absorbing_cells = s.sides.cells, o.has_free_surface = s.sides.has_free_surface;
  o.threads = s.run.threads, o.ghosts = a.receivers.empty() ? 0 : s.run.tap_half_width;
  constexpr std::array<const char*, 4> names{"", "plain", "avx2", "avx512"};
  o.kernels = names[static_cast<std::size_t>(s.run.kernels)];
  if (const double highest = highest_frequency(a); highest > 0) o.frequency_hz = highest / 3;
  return o;
}

/// Samples of traces lie at whole steps.
index steps_per_sample(const settings& s, double dt_s) {
  if (s.gathers.interval_s == 0) return 1;
  const double steps = s.gathers.interval_s / dt_s;
  const auto whole = static_cast<index>(std::lround(steps));
  if (whole >= 1 && std::abs(steps - static_cast<double>(whole)) < 1e-6 * steps) return whole;
  throw nearfar::usage_error("gathers.interval = " + std::to_string(s.gathers.interval_s) +
                             " s is not a multiple of the time step, " + std::to_string(dt_s) + " s; time.step = " +
                             std::to_string(s.gathers.interval_s / std::ceil(steps)) + " would do");
}

void write_gather(const nearfar::team& team, const settings& s, const shot& done, double interval_s) {
  const std::vector<float> values = done.traces(team);
  apps::agree_after(team, [&] {
    if (!team.is_root()) return;
    shot_gather gather;
    gather.source_m = s.sources.empty() ? position{} : s.sources.front().where_m;
    gather.receivers_m = s.receivers_m, gather.samples = done.samples(), gather.interval_s = interval_s;
    gather.values = values, gather.title = "nearfar-seismic";
    if (s.gathers.format == gather_format::segy)
      write_segy_gather(s.gathers.file, gather);
    else
      write_rsf_gather(s.gathers.file, gather);
  });
}

}  // namespace

int run_shot(const nearfar::team& team, const settings& what, const app_options& options,
             const nearfar::output_crew* crew) {
  const ground on = ground_of(team, what);
  if (!options.model.empty()) return write_model(team, on, options.model), 0;
  acquisition points;
  apps::agree_after(team, [&] { points = acquisition_of(what, on); });
  const double highest_hz = highest_frequency(points);
  check_wavelet(what, on, highest_hz);
  propagator waves(team, on.all, on.of, options_of(what, on, points));
  points.steps_per_sample = steps_per_sample(what, waves.dt_s());
  const double sample_s = static_cast<double>(points.steps_per_sample) * waves.dt_s();
  shot now(waves, std::move(points));
  std::optional<snapshots> films;
  if (!what.snapshots.path.empty()) films.emplace(team, what, on, waves, crew);
  const auto steps = static_cast<index>(std::ceil(what.time.end_s / waves.dt_s() - 1e-6));
  if (team.is_root()) std::fputs(opening(what, on, waves, steps, highest_hz).c_str(), stdout), std::fflush(stdout);
  apps::run_progress progress(static_cast<int>(steps), "Mpts/s", stderr, ::isatty(STDERR_FILENO) != 0);
  const double begin = MPI_Wtime(), points_per_step = static_cast<double>(on.all.size());
  if (films) films->look();
  while (waves.steps() < steps) {
    now.step();
    if (films) films->look();
    if (team.is_root())
      progress.advanced(static_cast<int>(waves.steps()), points_per_step * static_cast<double>(waves.steps()),
                        MPI_Wtime() - begin);
  }
  if (films) films->close();
  progress.end();
  const double seconds = MPI_Wtime() - begin;
  if (!what.gathers.file.empty()) write_gather(team, what, now, sample_s);
  if (team.is_root()) std::fputs(closing(on, waves, seconds, films ? &*films : nullptr).c_str(), stdout);
  return 0;
}

}  // namespace seismic
