// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <mpi.h>
#include <algorithm>
#include <app/checkpoint.hpp>
#include <app/ground.hpp>
#include <app/memory.hpp>
#include <app/model_files.hpp>
#include <app/pretended.hpp>
#include <app/recordings.hpp>
#include <app/report.hpp>
#include <app/run.hpp>
#include <app/snapshots.hpp>
#include <app/summary.hpp>
#include <app/traces.hpp>
#include <cmath>
#include <common/agreement.hpp>
#include <common/program.hpp>
#include <common/progress.hpp>
#include <common/time_limit.hpp>
#include <cstdio>
#include <gpu/device.hpp>
#include <nearfar/error.hpp>
#include <optional>
#include <solver/shot.hpp>
#include <wavelet/source_wavelet.hpp>
#include <wavelet/time_dispersion.hpp>

namespace seismic {

namespace {

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
  for (const recording& r : recordings_of(s)) {
    const position& where = s.receivers_m[r.receiver];
    const std::string name = "receiver " + std::to_string(r.receiver + 1);
    const int along = facts_of(r.of).along;
    a.receivers.push_back(
        along < 0 ? weights_of(where, g.all, from, spreading_of(s), name)
                  : slope_weights_of(where, g.all, from, spreading_of(s), static_cast<dimension>(along), name));
  }
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
  double peak_hz = 0;
  for (const auto& source : s.sources) peak_hz = std::max(peak_hz, source.frequency_hz);
  const std::string words =
      coarseness_text(g.facts, g.inner, highest_hz, peak_hz > 0 ? peak_hz : highest_hz, least_points(s.order));
  if (highest_hz > 0 && !words.empty()) throw nearfar::usage_error(words);
}

/// Why no GPU is used where one may be, the first rank's reason; "": one is, or none was asked for. Collective.
std::string fault_of_device(const nearfar::team& team, device_choice choice) {
  if (choice == device_choice::cpu) return "";
  std::string fault = apps::first_complaint(team, gpu::fault_of_gpu());
  if (choice == device_choice::gpu && !fault.empty())
    throw nearfar::usage_error("run.device = \"gpu\", but " + fault + "; run.device = \"cpu\" needs none");
  return fault;
}

propagator_options options_of(const settings& s, const ground& g) {
  propagator_options o;
  o.system = g.system, o.order = s.order, o.dt_s = s.time.step_s.value_or(0), o.divided_s = s.gathers.interval_s,
  o.sides = s.sides.kind;
  o.absorbing_cells = s.sides.cells, o.has_free_surface = s.sides.has_free_surface;
  o.threads = s.run.threads, o.ghosts = receiver_ghosts(s);
  constexpr std::array<const char*, 4> names{"", "plain", "avx2", "avx512"};
  o.kernels = names[static_cast<std::size_t>(s.run.kernels)];
  return o;
}

/// The bound is that of homogeneous media: the operator as it is may be larger where the medium jumps.
void check_rate(const propagator& waves, double measured) {
  if (measured * waves.dt_s() < 2) return;
  char words[200];
  std::snprintf(words, sizeof words,
                "a time step of %.4g ms is not stable in this medium, whose contrasts are sharp: at most %.4g ms is; "
                "time.step = %.4g",
                1e3 * waves.dt_s(), 2e3 / measured, even_step(1.8 / measured));
  throw nearfar::usage_error(words);
}

/// A field that is not finite any more is an error, not a picture. Every so many steps: a norm costs a tenth of one.
/// Collective.
void check_finite(const propagator& waves) {
  constexpr index_t interval = 50;
  if (waves.steps() % interval != 0 || std::isfinite(waves.norm_now())) return;
  throw nearfar::usage_error("the waves are not finite any more at step " + std::to_string(waves.steps()) +
                             ": an amplitude too large for single precision, or a medium in which they grow");
}

/// Sources that drive the steps so that these show the wavelets. Returns how far apart the times are that steps of
/// snapshots stand for, in time steps.
double correct_wavelets(acquisition& a, double dt_s) {
  std::vector<std::shared_ptr<const wavelet>> wavelets;
  for (driving_source& s : a.sources) {
    wavelets.push_back(s.in_time);
    s.in_time = for_steps(s.in_time, dt_s);
  }
  return time_stretch(wavelets, dt_s);
}

bool is_saved_at(index_t step, index_t last, const checkpoint_settings& c) {
  return step == last || (step < last && c.steps > 0 && step % c.steps == 0);
}

std::string restart_words(const restart_point& from, const propagator& waves) {
  if (from.path.empty()) return "";
  std::string words = "restart   from step " + std::to_string(from.step) + ", " + from.path;
  if (from.kernels != waves.kernels())
    words += "; its kernels were " + from.kernels + ": bits differ by rounding from those of one run";
  return words + "\n";
}

std::string stopping_words(const settings& s, index_t step, index_t last) {
  return "stopped   after step " + std::to_string(step) + " of " + std::to_string(last) +
         ", as time.limit says; --restart=" + s.checkpoints.path + " goes on\n";
}

}  // namespace

int run_shot(const nearfar::team& team, const settings& what, const app_options& options, const sink_maker& make_sink,
             apps::seconds_clock clock) {
  if (!clock) clock = [entry = MPI_Wtime()] { return MPI_Wtime() - entry; };
  if (what.run.pretended_step_s > 0) return run_pretended(team, what, options, make_sink);
  const ground outline = outline_of(what);
  propagator_options how = options_of(what, outline);
  if (options.model.empty()) {
    if (!options.is_forced) check_memory(team, what, outline, bytes_of_rank(team, what, outline.all, how));
    const std::string& saved = what.checkpoints.path;
    std::vector<std::string> files = gather_files(what);
    files.push_back(saved.empty() ? "" : saved + "-a.journal");
    apps::check_all_writable(team, files);
  }
  const ground on = ground_of(team, what);
  if (!options.model.empty()) return write_model(team, on, options.model), 0;
  acquisition points;
  apps::agree_after(team, [&] { points = acquisition_of(what, on); });
  const double highest_hz = highest_frequency(points);
  check_wavelet(what, on, highest_hz);
  if (highest_hz > 0) how.frequency_hz = highest_hz / 3;
  const std::string no_gpu = fault_of_device(team, what.run.device);
  if (what.run.device != device_choice::cpu && no_gpu.empty()) how.device = device_kind::gpu;
  propagator waves(team, on.all, on.of, how);
  const double measured = waves.measured_rate();
  check_rate(waves, measured);
  const sampling traced = sampling_of(what, waves.dt_s(), highest_hz);
  points.steps_per_sample = traced.steps;
  const std::string summed_up = summary(what, on, points.sources, waves.dt_s());
  const double stretch = traced.corrects ? correct_wavelets(points, waves.dt_s()) : 1;
  shot now(waves, std::move(points));
  const auto [end, steps] = length_of(what, traced, waves.dt_s());
  restart_point from;
  std::optional<checkpoint_writer> saves;
  if (!options.restart.empty() || !what.checkpoints.path.empty()) {
    const key_values same = signature_of(team, what, on, waves, now);
    if (!options.restart.empty()) from = restart_from(team, options.restart, same, end, waves, now);
    if (!what.checkpoints.path.empty()) saves.emplace(team, what.checkpoints.path, from, same);
  }
  std::optional<snapshots> films;
  if (!what.snapshots.path.empty()) {
    snapshot_source shown = source_of(waves, stretch);
    shown.last_step = end;
    films.emplace(team, what, on, shown, make_sink);
  }
  apps::say(team,
            opening(what, on, waves, end, {highest_hz, measured, summed_up, no_gpu}) + restart_words(from, waves));
  apps::run_progress progress(static_cast<int>(steps), "Mpts/s", stderr, ::isatty(STDERR_FILENO) != 0);
  const double begin = MPI_Wtime(), points_per_step = static_cast<double>(on.all.size());
  apps::time_limit limit(what.time.limit_s, std::move(clock));
  bool is_stopped = false;
  if (films && from.step == 0) films->look(0);
  const std::vector<nearfar::box> driven = now.driven();
  while (waves.steps() < steps && !is_stopped) {
    const bool is_filmed = films && waves.steps() < end;
    if (is_filmed && waves.shows_final_blocks() && films->begin(waves.steps() + 1)) {
      now.step([&films](const float* p, const block_rows& rows) { films->take(p, rows); });
      films->end(driven);
    } else {
      now.step();
      if (is_filmed) films->look(waves.steps());
    }
    check_finite(waves);
    is_stopped = waves.steps() < end && limit.is_over(team, waves.steps());
    if (saves && (is_stopped || is_saved_at(waves.steps(), end, what.checkpoints))) {
      if (films) films->flush();  // a run that goes on from here finds them
      saves->write(waves, now);
    }
    if (team.is_root())
      progress.advanced(static_cast<int>(waves.steps()), points_per_step * static_cast<double>(waves.steps()),
                        MPI_Wtime() - begin);
  }
  waves.wait();
  if (films) films->close();
  if (saves) saves->finish();
  progress.end();
  const double seconds = MPI_Wtime() - begin;
  if (!what.gathers.file.empty() && !is_stopped) write_gathers(team, what, now, traced, {end, waves.dt_s()});
  apps::say(team, closing(on, waves.steps() - from.step, seconds, films ? &*films : nullptr) +
                      (is_stopped ? stopping_words(what, waves.steps(), end) : ""));
  return 0;
}

}  // namespace seismic
