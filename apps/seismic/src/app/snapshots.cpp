// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <algorithm>
#include <app/snapshots.hpp>
#include <common/agreement.hpp>
#include <common/described_snapshots.hpp>
#include <filesystem>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>

namespace seismic {

namespace {

nearfar::output_policy policy_of(const std::string& name) {
  if (name == "synchronous") return nearfar::output_policy::synchronous;
  if (name == "thread") return nearfar::output_policy::thread;
  if (name == "writer" || name == "far-writer") return nearfar::output_policy::writer;
  return nearfar::output_policy::automatic;
}

/// Adds the time until its end.
class stopwatch {
 public:
  explicit stopwatch(double& seconds) : seconds_(seconds), begin_(MPI_Wtime()) {}
  ~stopwatch() { seconds_ += MPI_Wtime() - begin_; }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

 private:
  double& seconds_;
  double begin_;
};

}  // namespace

snapshot_source source_of(propagator& waves, double stretch) {
  return {waves.own(),   waves.now(0).strides, stretch * waves.dt_s(),
          waves.steps(), &waves.points(),      waves.options().is_on_gpu()};
}

snapshots::snapshots(const nearfar::team& team, const settings& what, const ground& on, const snapshot_source& of,
                     const sink_maker& make_sink)
    : of_(of), what_(what), is_alone_(team.size() == 1) {
  const snapshot_points points = points_of(what, on, of_.own);
  const std::string& format = what.snapshots.format;
  frame_ = frame_of(points, of_.own);
  nearfar::output_options options;
  options.format = format, options.compression = what.snapshots.compression;
  options.policy = policy_of(what.snapshots.policy);
  options.is_pinned = of_.is_on_gpu;
  options.throttle_bytes_per_s = 1e6 * what.snapshots.throttle_mb_per_s;
  options.axes = axes_of(points, on.all, format);
  const bool has_one_file = what.snapshots.has_one_file && of_.last_step > 0;
  apps::describe_all(options, "seismic waves", "nearfar-seismic", "s",
                     has_one_file ? static_cast<index_t>(times_until(of_.last_step).size()) : 0);
  if (of_.first_step > 0) {
    const std::vector<double> times = times_until(of_.first_step);
    written_ = static_cast<index_t>(times.size());
    if (has_stream_of(team, times)) {
      options.opening = nearfar::output_opening::append;
      options.append_before = (static_cast<double>(of_.first_step) + 0.5) * of_.dt_s;
    }
  }
  sink_ = make_sink(team, what.snapshots.path, array_of(points, on.all, format), options);
}

snapshots::~snapshots() {
  try {
    of_.copier->finish_copy();       // before the memory that it goes to
  } catch (const nearfar::error&) {  // of the GPU, which has been told of
  }
}

// As the mini-app: the first step whose time is not before the next multiple of the interval.
bool snapshots::is_due(index_t step, index_t written) const {
  const double interval = what_.snapshots.interval_s, time = static_cast<double>(step) * of_.dt_s;
  return interval > 0 ? time >= static_cast<double>(written) * interval - 1e-6 * of_.dt_s
                      : step % what_.snapshots.steps == 0;
}

std::vector<double> snapshots::times_until(index_t step) const {
  std::vector<double> times;
  for (index_t n = 0; n <= step; ++n)
    if (is_due(n, static_cast<index_t>(times.size()))) times.push_back(static_cast<double>(n) * of_.dt_s);
  return times;
}

// Looked at before the stream is opened, which would cut what lies behind the checkpoint.
bool snapshots::has_stream_of(const nearfar::team& team, const std::vector<double>& times) const {
  int is_there = 0;
  apps::agree_after(team, [&] {
    const std::string& path = what_.snapshots.path;
    if (!team.is_root() || !std::filesystem::exists(path + ".journal")) return;
    is_there = 1;
    const double end = (static_cast<double>(of_.first_step) + 0.5) * of_.dt_s;
    std::vector<double> found;
    for (const nearfar::output_step& s : nearfar::output_steps_at(path))
      if (s.time < end) found.push_back(s.time);
    if (found == times) return;
    char end_words[32];
    std::snprintf(end_words, sizeof end_words, "%.9g", end);
    throw nearfar::io_error("snapshots.path = " + path + " has " + std::to_string(found.size()) + " snapshots up to " +
                            end_words + " s, not the " + std::to_string(times.size()) +
                            " of the run that made the checkpoint; a path where there are none begins with the next");
  });
  nearfar::bcast(team, is_there, 0);
  return is_there != 0;
}

bool snapshots::open_frame(index_t step) {
  if (!is_due(step, written_)) return false;
  finish_copy();
  const nearfar::output_slot slot = sink_->begin(static_cast<double>(step) * of_.dt_s);
  frame_.to = static_cast<char*>(slot.data);
  for (std::size_t d = 0; d < 3; ++d) frame_.to_strides_bytes[d] = slot.strides_bytes[d];
  ++written_;
  return true;
}

void snapshots::look(index_t step) {
  const stopwatch here(waiting_s_);
  if (is_to_be_handed_over(step)) finish_copy();
  if (!open_frame(step)) return;
  of_.copier->start_copy(frame_);
  copied_since_ = step;
  if (!of_.is_on_gpu) finish_copy();
}

// Where ranks share a node one of them may write in end() while the others wait in theirs: they come there at the same
// step, so late that the copy is over as a rule.
bool snapshots::is_to_be_handed_over(index_t step) const {
  constexpr index_t late = 8;
  if (copied_since_ < 0) return false;
  return is_alone_ ? of_.copier->is_copied() : step >= copied_since_ + late;
}

void snapshots::finish_copy() {
  if (copied_since_ < 0) return;
  of_.copier->finish_copy();
  sink_->end();
  copied_since_ = -1;
}

bool snapshots::begin(index_t step) {
  const stopwatch here(waiting_s_);
  return open_frame(step);
}

void snapshots::take(const float* p, const block_rows& rows) const { copy_frame(p, of_.strides, within(frame_, rows)); }

block_rows snapshots::own_rows(const nearfar::box& of_grid) const {
  const auto own = [&](std::size_t d, index_t at) {
    return std::clamp(at, of_.own.lower[d], of_.own.upper[d]) - of_.own.lower[d];
  };
  return {own(0, of_grid.lower[0]), own(0, of_grid.upper[0]), own(1, of_grid.lower[1]), own(1, of_grid.upper[1])};
}

void snapshots::end(std::span<const nearfar::box> changed) {
  const stopwatch here(waiting_s_);
  for (const nearfar::box& b : changed) {
    of_.copier->start_copy(within(frame_, own_rows(b)));
    of_.copier->finish_copy();
  }
  sink_->end();
}

void snapshots::flush() {
  const stopwatch here(waiting_s_);
  finish_copy();
  sink_->flush();
}

void snapshots::close() {
  const stopwatch here(waiting_s_), at_end(closing_s_);
  finish_copy();
  sink_->close();
}

std::string snapshots::describe() const { return sink_->describe(); }

}  // namespace seismic
