// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <mpi.h>
#include <algorithm>
#include <app/memory.hpp>
#include <app/observers.hpp>
#include <app/run.hpp>
#include <cmath>
#include <common/agreement.hpp>
#include <common/program.hpp>
#include <common/progress.hpp>
#include <cstdio>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>
#include <optional>
#include <statistics/statistics.hpp>

namespace turbulence {
namespace {

std::string printed(const char* format, auto... values) {
  char words[400];
  std::snprintf(words, sizeof words, format, values...);
  return words;
}

std::string opening(const flow& of, const settings& what, const run_place& from) {
  const space& on = of.on();
  const auto& n = on.shape().points;
  const auto& p = on.points();
  const auto& k = on.highest();
  std::string words =
      printed("grid      %ld x %ld x %ld, modes up to |k| = %ld, %ld, %ld, products on %ld x %ld x %ld points\n", n[2],
              n[1], n[0], k[2], k[1], k[0], p[2], p[1], p[0]);
  words +=
      printed("flow      viscosity %g%s; %s\n", what.flow.viscosity,
              what.flow.forcing_power > 0 ? printed(", forced with power %g", what.flow.forcing_power).c_str() : "",
              what.flow.scheme == time_scheme::rk4 ? "Runge-Kutta of order 4" : "Runge-Kutta of order 3");
  words += printed("ranks     %d on %d nodes\n", on.team().size(), on.team().nodes());
  if (from.stream.empty()) return words;
  words += "restart   from step " + std::to_string(from.step) + printed(", time %g, ", from.time) + from.stream;
  return words + (from.note.empty() ? "" : "; " + from.note) + '\n';
}

/// Collective. `transform_s` of the seconds were spent on transforms of `fields` fields.
std::string closing(flow& of, index_t steps, double seconds, double transform_s, double fields) {
  const double alone_s = of.between().alone_s(of.modes_a(), of.points_a());
  const double per_step = steps > 0 ? seconds / static_cast<double>(steps) : 0;
  const auto& p = of.on().points();
  return printed(
      "run       %ld steps in %.2f s, %.3g s each (%.1f million points a second); %.0f %% in transforms, "
      "%.2f times what they take alone\n",
      steps, seconds, per_step, per_step > 0 ? 1e-6 * static_cast<double>(p[0] * p[1] * p[2]) / per_step : 0.0,
      seconds > 0 ? 100 * transform_s / seconds : 0.0,
      fields > 0 && alone_s > 0 ? transform_s / fields / alone_s : 0.0);
}

/// What is meant for modes that the grid does not have would be something else, without a word. Local.
void check_waves(const space& on, const settings& what) {
  const double highest = on.highest_complete_wave();
  const auto check = [&](const char* key, double wave) {
    if (wave > highest)
      throw nearfar::usage_error(
          printed("%s = %g, but the grid has all directions of |k| up to %g only: take at most "
                  "that, or more points",
                  key, wave, highest));
  };
  if (what.initial.kind == initial_kind::isotropic) check("flow.peak", what.initial.peak);
  if (what.flow.forcing_power > 0) check("forcing.highest", what.flow.forcing_highest);
}

/// Collective. Scales below Kolmogorov's length dissipate: with k_max eta of 1.5 and more they are there, below 1 the
/// dissipation is not the flow's.
/// @source S. B. Pope, Turbulent Flows, 2000, section 9.1.2
std::string numbers_in_words(flow& of, double time) {
  const flow_numbers n = numbers_of(of);
  std::string words = printed("time      %g: energy %.6g, dissipation %.6g", time, n.energy, n.dissipation);
  if (n.dissipation > 0) words += printed(", k_max eta %.2f", n.resolution);
  if (n.dissipation > 0 && n.resolution < 1)
    words +=
        "; below 1 the smallest scales are missing, and dissipation is not that of the flow: more points or more "
        "viscosity are needed";
  return words + '\n';
}

/// Forcing goes along the velocity of the forced modes, which must have one: more than rounding leaves.
void check_forcing(flow& of) {
  const flow_options& o = of.options();
  if (o.forcing_power == 0 || of.forced_square(of.state()) > 1e-12 * numbers_of(of).energy) return;
  throw nearfar::usage_error(
      printed("forcing.power = %g goes along the velocity of modes up to |k| = %g "
              "(forcing.highest), which have none in this flow: a larger forcing.highest is needed",
              o.forcing_power, o.forcing_highest));
}

/// As far as the rest of the time takes steps like this one.
int expected_steps(const time_settings& t, const run_place& at, double dt) {
  const double left = std::min(1e9, std::ceil((t.end - at.time) / dt - 1e-6));
  return static_cast<int>(std::min(2e9, static_cast<double>(at.step) + std::max(0.0, left)));
}

/// One run's parts, which steps go through.
class run_loop {
 public:
  run_loop(const space& on, const settings& what, const app_options& options, apps::seconds_clock clock)
      : what_(what), on_(on), fluid_(on, what.flow), limit_(what.time.limit_s, std::move(clock)) {
    if (options.restart.empty()) check_waves(on, what);
    if (options.restart.empty())
      begin(fluid_, what.initial, what.has_layers);
    else
      at_ = restart_from(options.restart, options.is_interpolated, fluid_);
    if (at_.time > what.time.end)
      throw nearfar::usage_error(printed("time.end = %g is before the checkpoint's time, %g", what.time.end, at_.time));
    check_forcing(fluid_);
    watch_.emplace(fluid_, what, at_);
    if (!what.checkpoints.empty()) saves_.emplace(fluid_, what.checkpoints, at_.stream);
  }

  run_place run() {
    const nearfar::team& team = on_.team();
    apps::say(team, opening(fluid_, what_, at_));
    apps::say(team, numbers_in_words(fluid_, at_.time));
    apps::run_progress progress(1, "Mpts/s", stderr, ::isatty(STDERR_FILENO) != 0);
    const index_t first = at_.step;
    const double begin_s = MPI_Wtime(), transforms_before = fluid_.between().seconds(),
                 fields_before = fluid_.between().fields();
    const auto& p = on_.points();
    const auto points = static_cast<double>(p[0] * p[1] * p[2]);
    if (at_.stream.empty()) watch_->look(at_, 0, 0);
    bool is_stopped = false;
    while (!is_at_end(what_.time, at_.time) && !is_stopped) {
      const double dt = advance();
      const bool is_last = is_at_end(what_.time, at_.time);
      is_stopped = !is_last && limit_.is_over(team, at_.step);
      if (is_stopped || is_last || (what_.checkpoint_steps > 0 && at_.step % what_.checkpoint_steps == 0)) save();
      progress.expect(expected_steps(what_.time, at_, dt));
      if (team.is_root())
        progress.advanced(static_cast<int>(at_.step), points * static_cast<double>(at_.step), MPI_Wtime() - begin_s);
    }
    check_finite(fluid_, at_);
    watch_->close();
    apps::say(team, numbers_in_words(fluid_, at_.time));
    if (saves_) saves_->finish();
    progress.end();
    const double run_s = MPI_Wtime() - begin_s;
    apps::say(team, closing(fluid_, at_.step - first, run_s, fluid_.between().seconds() - transforms_before,
                            fluid_.between().fields() - fields_before));
    if (is_stopped)
      apps::say(team, "stopped   after step " + std::to_string(at_.step) +
                          printed(", time %g of %g", at_.time, what_.time.end) +
                          ", as time.limit says; --restart=" + what_.checkpoints + " goes on\n");
    return at_;
  }

 private:
  double advance() {
    const double before = at_.time;
    const double dt =
        fluid_.step([&](double fastest) { return step_length(what_.time, at_, fastest, next_output(what_, before)); });
    at_.time += dt, ++at_.step;
    watch_->look(at_, before, dt);
    return dt;
  }
  void save() {
    if (!saves_) return;
    watch_->flush();  // a run that goes on from here finds them
    saves_->write(at_);
  }

  settings what_;
  const space& on_;
  flow fluid_;
  apps::time_limit limit_;
  run_place at_;
  std::optional<observers> watch_;
  std::optional<checkpoint_writer> saves_;
};

}  // namespace

double next_output(const settings& of, double time) {
  double next = std::numeric_limits<double>::infinity();
  const auto note = [&](const std::string& path, double interval) {
    if (!path.empty()) next = std::min(next, (std::floor(time / interval + 1e-9) + 1) * interval);
  };
  note(of.spectra, of.spectra_interval);
  note(of.snapshots.path, of.snapshots.interval);
  return next;
}

double step_length(const time_settings& of, const run_place& at, double fastest, double next) {
  if (!std::isfinite(fastest))
    throw nearfar::usage_error("the flow is not finite any more at step " + std::to_string(at.step) +
                               printed(", time %g: a shorter time.step or a smaller time.courant is needed; "
                                       "checkpoints that were written before are whole",
                                       at.time));
  const double dt = of.step > 0 ? of.step : fastest > 0 ? std::min(of.longest, of.courant / fastest) : of.longest;
  const double left = std::min(of.end, next) - at.time;
  return left < (1 - 1e-6) * dt ? left : dt;
}

bool is_at_end(const time_settings& of, double time) { return time >= of.end - 1e-9 * std::max(1.0, of.end); }

run_place run_flow(const nearfar::team& team, const settings& what, const app_options& options,
                   apps::seconds_clock clock) {
  if (!clock) clock = [entry = MPI_Wtime()] { return MPI_Wtime() - entry; };
  apps::check_all_writable(
      team, {what.series, what.spectra, what.checkpoints.empty() ? "" : what.checkpoints + "-a.journal"});
  const space on(team, what.box);
  if (!options.is_forced) check_memory(on, what);
  return run_loop(on, what, options, std::move(clock)).run();
}

}  // namespace turbulence
