// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <app/recordings.hpp>
#include <app/traces.hpp>
#include <cmath>
#include <common/agreement.hpp>
#include <files/rsf.hpp>
#include <files/segy.hpp>
#include <nearfar/error.hpp>
#include <numbers>
#include <wavelet/integral.hpp>
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
  const bool integrates = records_velocities(what);
  const auto is_fine = [&](index_t steps) {
    return (!how.corrects || is_kept(highest_hz, dt_s, steps)) &&
           (!integrates || highest_hz * static_cast<double>(steps) * dt_s <= highest_integrated_share);
  };
  while (how.steps > 1 && (interval % how.steps != 0 || !is_fine(how.steps))) --how.steps;
  how.every = interval / how.steps;
  return how;
}

run_length length_of(const settings& s, const sampling& how, double dt_s) {
  const auto end = static_cast<index_t>(std::ceil(s.time.end_s / dt_s - 1e-6));
  if (s.gathers.file.empty()) return {end, end};
  const index_t integrated = records_velocities(s) ? integral_half_width * how.steps : 0;
  const double integrated_s = static_cast<double>(integrated) * dt_s;
  const double behind_s = corrects_steps(s) ? dispersion_map::reach_s(dt_s, s.time.end_s + integrated_s) : 0;
  return {end, end + 1 + integrated + static_cast<index_t>(std::ceil(behind_s / dt_s))};
}

namespace {

/// The error of the steps is taken out, then derivatives become velocities.
trace_change change_of(const std::vector<recording>& all, const sampling& how, double dt_s, index_t samples) {
  const double recorded_s = static_cast<double>(how.steps) * dt_s;
  std::shared_ptr<const dispersion_map> map;
  if (how.corrects && samples > 0)
    map = std::make_shared<const dispersion_map>(dispersion_map::direction::from_steps, dt_s, recorded_s, 0,
                                                 static_cast<std::size_t>(samples));
  return [map, &all, recorded_s](std::size_t n, std::span<float> trace) {
    if (map) (*map)(trace);
    if (facts_of(all[n].of).is_velocity) integrate(trace, -recorded_s / all[n].density_kg_m3);
  };
}

void write_quantity(const settings& s, std::span<const recording> traces, shot_gather gather) {
  std::vector<position> places;
  for (const recording& r : traces) places.push_back(s.receivers_m[r.receiver]);
  gather.receivers_m = places, gather.of = traces.front().of;
  const std::string file = gather_file(s, gather.of);
  if (s.gathers.format == gather_format::segy)
    write_segy_gather(file, gather);
  else
    write_rsf_gather(file, gather);
}

}  // namespace

void write_gathers(const nearfar::team& team, const settings& s, const shot& done, const sampling& how,
                   const time_steps& steps) {
  const std::vector<recording> all = recordings_of(s);
  std::vector<float> values = done.traces(team, change_of(all, how, steps.dt_s, done.samples()));
  apps::agree_after(team, [&] {
    if (!team.is_root()) return;
    shot_gather gather;
    gather.samples = steps.end / (how.steps * how.every) + 1;
    const auto samples = static_cast<std::size_t>(gather.samples);
    thin_out(values, static_cast<std::size_t>(done.samples()), samples, static_cast<std::size_t>(how.every));
    gather.source_m = s.sources.empty() ? position{} : s.sources.front().where_m;
    gather.interval_s = static_cast<double>(how.every * how.steps) * steps.dt_s;
    gather.title = "nearfar-seismic";
    for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
      while (end < all.size() && all[end].of == all[first].of) ++end;
      gather.values = std::span(values).subspan(first * samples, (end - first) * samples);
      write_quantity(s, std::span(all).subspan(first, end - first), gather);
    }
  });
}

}  // namespace seismic
