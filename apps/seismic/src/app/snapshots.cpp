// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <algorithm>
#include <app/snapshots.hpp>
#include <common/agreement.hpp>
#include <filesystem>
#include <memory/streaming_copy.hpp>
#include <nearfar/collective.hpp>
#include <nearfar/error.hpp>

namespace seismic {

namespace {

/// The points of the settings' part, counted in the grid with its layers.
nearfar::box part_of(const settings& s, const ground& g) {
  if (s.snapshots.has_sides) return g.all.whole();
  nearfar::box part = snapshot_part(s);
  for (std::size_t d = 0; d < 3; ++d) {
    const int before = g.layers.low(static_cast<int>(d));
    part.lower[d] += before, part.upper[d] += before;
  }
  return part;
}

/// Those of every stride-th point of `whole` from its first one on that lie in `own`, by their number.
nearfar::box strided(const nearfar::box& whole, const nearfar::box& own, const std::array<index, 3>& stride) {
  nearfar::box b{3, {}, {}};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto number = [&](index at) {
      return (std::clamp(at, whole.lower[d], whole.upper[d]) - whole.lower[d] + stride[d] - 1) / stride[d];
    };
    b.lower[d] = number(own.lower[d]), b.upper[d] = number(own.upper[d]);
  }
  return b.is_empty() ? nearfar::box{3, {}, {}} : b;
}

nearfar::output_policy policy_of(const std::string& name) {
  if (name == "synchronous") return nearfar::output_policy::synchronous;
  if (name == "thread") return nearfar::output_policy::thread;
  if (name == "writer" || name == "far-writer") return nearfar::output_policy::writer;
  return nearfar::output_policy::automatic;
}

class stream_sink final : public frame_sink {
 public:
  stream_sink(const nearfar::team& team, const std::string& path, const nearfar::output_array& array,
              const nearfar::output_options& options)
      : stream_(team, path, {array}, options), name_(array.name) {}
  nearfar::output_slot begin(double time) override {
    stream_.begin_step(time);
    return stream_.slot(name_);
  }
  void end() override { stream_.end_step(); }
  void flush() override { stream_.flush(); }
  void close() override { stream_.close(); }
  std::string describe() const override { return stream_.describe(); }

 private:
  nearfar::output_stream stream_;
  std::string name_;
};

std::string shown(double number) {
  char words[32];
  std::snprintf(words, sizeof words, "%.9g", number);
  return words;
}

}  // namespace

sink_maker streams(const nearfar::output_crew* crew) {
  return [crew](const nearfar::team& team, const std::string& path, const nearfar::output_array& array,
                nearfar::output_options options) {
    options.crew = crew;
    return std::make_unique<stream_sink>(team, path, array, options);
  };
}

snapshot_source source_of(propagator& waves) {
  return {waves.own(),     waves.now(0).strides, waves.dt_s(),
          waves.threads(), waves.steps(),        [&waves] { return waves.now(0).data; }};
}

snapshots::snapshots(const nearfar::team& team, const settings& what, const ground& on, snapshot_source of,
                     const sink_maker& make_sink)
    : of_(std::move(of)), what_(what), part_(part_of(what, on)) {
  stride_ = what.snapshots.stride;
  own_ = strided(part_, of_.own, stride_);
  nearfar::output_array p;
  p.name = "p", p.own = own_;
  for (std::size_t d = 0; d < 3; ++d)
    p.extents.push_back((part_.upper[d] - part_.lower[d] + stride_[d] - 1) / stride_[d]);
  p.attributes = {{"units", "Pa"}};
  p.dimensions = {"z", "y", "x"};
  nearfar::output_options options;
  options.format = what.snapshots.format, options.compression = what.snapshots.compression;
  options.policy = policy_of(what.snapshots.policy);
  options.throttle_bytes_per_s = 1e6 * what.snapshots.throttle_mb_per_s;
  for (std::size_t d = 0; d < 3; ++d) {
    const double spacing = on.all.spacing_m[d] * static_cast<double>(stride_[d]);
    const double first = on.all.origin_m[d] + on.all.spacing_m[d] * static_cast<double>(part_.lower[d]);
    nearfar::output_axis axis;
    axis.name = p.dimensions[d], axis.attributes = {{"units", "m"}};
    for (index n = 0; n < p.extents[d]; ++n) axis.values.push_back(first + spacing * static_cast<double>(n));
    options.axes.push_back(std::move(axis));
    const std::string number = std::to_string(3 - d);
    if (options.format == "rsf") {
      p.attributes.insert(p.attributes.end(), {{"d" + number, shown(spacing)},
                                               {"o" + number, shown(first)},
                                               {"label" + number, p.dimensions[d]},
                                               {"unit" + number, "m"}});
    }
  }
  if (options.format == "rsf") options.axes.clear();  // its header says the same by attributes
  if (of_.first_step > 0) {
    const std::vector<double> times = times_until(of_.first_step);
    written_ = static_cast<index>(times.size());
    if (has_stream_of(team, times)) {
      options.opening = nearfar::output_opening::append;
      options.append_before = (static_cast<double>(of_.first_step) + 0.5) * of_.dt_s;
    }
  }
  sink_ = make_sink(team, what.snapshots.path, p, options);
}

// As the mini-app: the first step whose time is not before the next multiple of the interval.
bool snapshots::is_due(index step, index written) const {
  const double interval = what_.snapshots.interval_s, time = static_cast<double>(step) * of_.dt_s;
  return interval > 0 ? time >= static_cast<double>(written) * interval - 1e-6 * of_.dt_s
                      : step % what_.snapshots.steps == 0;
}

std::vector<double> snapshots::times_until(index step) const {
  std::vector<double> times;
  for (index n = 0; n <= step; ++n)
    if (is_due(n, static_cast<index>(times.size()))) times.push_back(static_cast<double>(n) * of_.dt_s);
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
    throw nearfar::io_error("snapshots.path = " + path + " has " + std::to_string(found.size()) + " snapshots up to " +
                            shown(end) + " s, not the " + std::to_string(times.size()) +
                            " of the run that made the checkpoint; a path where there are none begins with the next");
  });
  nearfar::bcast(team, is_there, 0);
  return is_there != 0;
}

bool snapshots::begin(index step) {
  if (!is_due(step, written_)) return false;
  const double since = MPI_Wtime();
  slot_ = sink_->begin(static_cast<double>(step) * of_.dt_s);
  waiting_s_ += MPI_Wtime() - since;
  return true;
}

/// Of the snapshot's first own point, in own points of the field.
index snapshots::first_of(std::size_t d) const {
  return part_.lower[d] + own_.lower[d] * stride_[d] - of_.own.lower[d];
}

/// Own points of the snapshot that lie in a range of own points of the field.
std::array<index, 2> snapshots::snapshot_range(std::size_t d, index begin, index end) const {
  const auto number = [&](index at) {
    const index behind = at - first_of(d);
    return std::clamp<index>(behind <= 0 ? 0 : (behind + stride_[d] - 1) / stride_[d], 0,
                             own_.extent(static_cast<int>(d)));
  };
  return {number(begin), number(end)};
}

void snapshots::take(const float* p, const block_rows& rows) const {
  if (own_.is_empty()) return;
  const auto [k_begin, k_end] = snapshot_range(0, rows.z_begin, rows.z_end);
  const auto [j_begin, j_end] = snapshot_range(1, rows.y_begin, rows.y_end);
  const std::array<index, 3> first{first_of(0), first_of(1), first_of(2)};
  const auto& strides = of_.strides;
  for (index k = k_begin; k < k_end; ++k)
    for (index j = j_begin; j < j_end; ++j) {
      const float* const from =
          p + (first[0] + k * stride_[0]) * strides[0] + (first[1] + j * stride_[1]) * strides[1] + first[2];
      auto* const row = reinterpret_cast<float*>(static_cast<char*>(slot_.data) + k * slot_.strides_bytes[0] +
                                                 j * slot_.strides_bytes[1]);
      if (stride_[2] == 1)
        streaming_copy(row, from, own_.extent(2));
      else
        for (index i = 0; i < own_.extent(2); ++i) row[i] = from[i * stride_[2]];
    }
  streaming_end();
}

void snapshots::end(std::span<const nearfar::box> changed) {
  const double since = MPI_Wtime();
  for (const nearfar::box& b : changed) {
    const auto own = [&](std::size_t d, index at) {
      return std::clamp(at, of_.own.lower[d], of_.own.upper[d]) - of_.own.lower[d];
    };
    take(of_.now(), {own(0, b.lower[0]), own(0, b.upper[0]), own(1, b.lower[1]), own(1, b.upper[1])});
  }
  sink_->end();
  waiting_s_ += MPI_Wtime() - since;
  ++written_;
}

void snapshots::look(index step) {
  if (!begin(step)) return;
  const double since = MPI_Wtime();
  const float* const p = of_.now();
  const index rows = of_.own.extent(1);
#pragma omp parallel for schedule(static) num_threads(of_.threads)
  for (index k = 0; k < of_.own.extent(0); ++k) take(p, {k, k + 1, 0, rows});
  waiting_s_ += MPI_Wtime() - since;
  end({});
}

void snapshots::flush() {
  const double begin = MPI_Wtime();
  sink_->flush();
  waiting_s_ += MPI_Wtime() - begin;
}

void snapshots::close() {
  const double begin = MPI_Wtime();
  sink_->close();
  closing_s_ = MPI_Wtime() - begin;
  waiting_s_ += closing_s_;
}

std::string snapshots::describe() const { return sink_->describe(); }

}  // namespace seismic
