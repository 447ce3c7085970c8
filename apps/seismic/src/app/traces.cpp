// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <app/traces.hpp>
#include <cmath>
#include <common/agreement.hpp>
#include <files/rsf.hpp>
#include <files/segy.hpp>
#include <nearfar/error.hpp>
#include <numbers>
#include <wavelet/time_dispersion.hpp>

namespace seismic {

namespace {

index_t steps_per_interval(const settings& s, double dt_s) {
  if (s.gathers.interval_s == 0) return 1;
  const double steps = s.gathers.interval_s / dt_s;
  const auto whole = static_cast<index_t>(std::lround(steps));
  if (whole >= 1 && std::abs(steps - static_cast<double>(whole)) < 1e-6 * steps) return whole;
  throw nearfar::usage_error("gathers.interval = " + std::to_string(s.gathers.interval_s) +
                             " s is not a multiple of the time step, " + std::to_string(dt_s) + " s; time.step = " +
                             std::to_string(s.gathers.interval_s / std::ceil(steps)) + " would do");
}

bool is_kept(double highest_hz, double dt_s, index_t steps) {
  constexpr double turn = 2 * std::numbers::pi;
  return shown_frequency(turn * highest_hz, dt_s) <=
         turn * dispersion_map::highest_hz(dt_s, static_cast<double>(steps) * dt_s);
}

/// The first samples of each trace, every so many, in place.
void thin_out(std::vector<float>& traces, std::size_t recorded, std::size_t samples, std::size_t every) {
  std::size_t to = 0;
  for (std::size_t first = 0; first < traces.size(); first += recorded)
    for (std::size_t n = 0; n < samples; ++n) traces[to++] = traces[first + n * every];
  traces.resize(to);
}

}  // namespace

bool corrects_steps(const settings& what) {
  return what.time.is_corrected && std::all_of(what.sources.begin(), what.sources.end(), [](const source_settings& s) {
           return s.scaling == source_scaling::physical;
         });
}

sampling sampling_of(const settings& what, double dt_s, double highest_hz) {
  sampling how{.steps = steps_per_interval(what, dt_s), .corrects = corrects_steps(what)};
  const index_t interval = how.steps;
  while (how.corrects && how.steps > 1 && (interval % how.steps != 0 || !is_kept(highest_hz, dt_s, how.steps)))
    --how.steps;
  how.every = interval / how.steps;
  return how;
}

void write_gather(const nearfar::team& team, const settings& s, const shot& done, const sampling& how,
                  const time_steps& steps) {
  trace_change change;
  const double recorded_s = static_cast<double>(how.steps) * steps.dt_s;
  if (how.corrects && done.samples() > 0)
    change = [map = std::make_shared<const dispersion_map>(dispersion_map::direction::from_steps, steps.dt_s,
                                                           recorded_s, 0, static_cast<std::size_t>(done.samples()))](
                 std::span<float> trace) { (*map)(trace); };
  std::vector<float> values = done.traces(team, change);
  apps::agree_after(team, [&] {
    if (!team.is_root()) return;
    shot_gather gather;
    const index_t samples = steps.end / (how.steps * how.every) + 1;
    thin_out(values, static_cast<std::size_t>(done.samples()), static_cast<std::size_t>(samples),
             static_cast<std::size_t>(how.every));
    gather.source_m = s.sources.empty() ? position{} : s.sources.front().where_m;
    gather.receivers_m = s.receivers_m, gather.samples = samples;
    gather.interval_s = static_cast<double>(how.every) * recorded_s;
    gather.values = values, gather.title = "nearfar-seismic";
    if (s.gathers.format == gather_format::segy)
      write_segy_gather(s.gathers.file, gather);
    else
      write_rsf_gather(s.gathers.file, gather);
  });
}

}  // namespace seismic
