// SPDX-License-Identifier: BSD-3-Clause
// Arrays into the frames of a stream and back.
#include <algorithm>
#include <app/checkpoint.hpp>
#include <common/agreement.hpp>
#include <common/checkpoint_text.hpp>
#include <cstring>
#include <nearfar/error.hpp>

namespace seismic {

namespace {

constexpr const char* first_line = "nearfar-seismic's checkpoint, of its form 1";

/// Between points of this rank and a frame of them, by all threads.
void copy(const state_array& a, const nearfar::box& part, const nearfar::output_slot& frame, bool is_into_frame,
          int threads) {
  if (part.is_empty()) return;
  const auto bytes = static_cast<std::size_t>(part.extent(2)) * sizeof(float);
  const index_t planes = part.extent(0), rows = part.extent(1);
  float* first = a.data;
  for (std::size_t d = 0; d < 3; ++d) first += (part.lower[d] - a.own.lower[d]) * a.strides[d];
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads)
  for (index_t k = 0; k < planes; ++k)
    for (index_t j = 0; j < rows; ++j) {
      float* const row = first + k * a.strides[0] + j * a.strides[1];
      char* const there = static_cast<char*>(frame.data) + k * frame.strides_bytes[0] + j * frame.strides_bytes[1];
      is_into_frame ? std::memcpy(there, row, bytes) : std::memcpy(row, there, bytes);
    }
}

std::string about_text(const propagator& waves, const shot& points, const key_values& same) {
  key_values all{{"step", std::to_string(waves.steps())},
                 {"samples", std::to_string(points.samples())},
                 {"kernels", waves.kernels()}};
  all.insert(all.end(), same.begin(), same.end());
  return apps::checkpoint_text(first_line, all);
}

struct about {
  index_t step = 0, samples = 0;
  std::string kernels;
  key_values same;
};

about about_in(const key_values& all) {
  if (all.size() < 3) throw nearfar::io_error("its text ends too early: it is damaged");
  about a{std::atol(all[0].second.c_str()), std::atol(all[1].second.c_str()), all[2].second, {}};
  a.same.assign(all.begin() + 3, all.end());
  return a;
}

std::vector<nearfar::output_array> arrays_of(const nearfar::team& team, const std::vector<state_array>& state,
                                             const shot& points, index_t letters) {
  std::vector<nearfar::output_array> all{apps::whole_of_root(team, "about", {letters}, nearfar::element_type::int8)};
  if (points.receivers() > 0 && points.samples() > 0)
    all.push_back(
        apps::whole_of_root(team, "traces", {points.receivers(), points.samples()}, nearfar::element_type::float32));
  for (const state_array& s : state) {
    nearfar::output_array a;
    a.name = s.name, a.extents.assign(s.extents.begin(), s.extents.end()), a.own = s.own;
    all.push_back(std::move(a));
  }
  return all;
}

/// A checkpoint that has been opened, and what this rank wants of it.
class checkpoint_reading {
 public:
  checkpoint_reading(const nearfar::team& team, const std::string& given, propagator& waves, const shot& points)
      : source_(team, given, first_line), state_(waves.state()), points_(points) {}

  const std::string& stream() const { return source_.stream(); }

  /// All bytes are compared with their sums here. What the arrays are of is said by the text, or, if it is wrong, by
  /// their extents.
  about text() {
    std::vector<nearfar::output_selection> wanted;
    fits_ = has_state();
    if (fits_) select_state(wanted);
    return about_in(source_.text(std::move(wanted)));
  }
  /// After text(), if that agrees.
  void fill(const about& what, propagator& waves, shot& points) {
    if (!fits_ || (samples_ != what.samples && points.receivers() > 0))
      throw nearfar::io_error(stream() + " has arrays that its own text does not tell of: it is damaged");
    for (const state_array& s : state_) copy(s, s.needed, source_.in().slot(s.name), false, waves.options().threads);
    const auto [first, end] = points.own_range();
    std::vector<float> rows(static_cast<std::size_t>((end - first) * samples_));
    if (samples_ > 0) source_.in().get("traces", rows.data());
    source_.in().end_step();
    points.resume(rows, what.samples);
    waves.resume(what.step);
  }

 private:
  bool has(const std::string& name, const std::vector<index_t>& extents) const {
    const nearfar::output_array* const a = source_.array(name);
    return a != nullptr && a->type == nearfar::element_type::float32 && a->extents == extents;
  }
  bool has_state() {
    if (const auto* traces = source_.array("traces"); traces != nullptr) {
      if (traces->extents.size() != 2 || !has("traces", {points_.receivers(), traces->extents[1]})) return false;
      samples_ = traces->extents[1];
    }
    return std::all_of(state_.begin(), state_.end(), [&](const state_array& s) {
      return has(s.name, {s.extents.begin(), s.extents.end()});
    });
  }
  void select_state(std::vector<nearfar::output_selection>& wanted) const {
    for (const state_array& s : state_) wanted.push_back({s.name, s.needed});
    const auto [first, end] = points_.own_range();
    if (samples_ > 0) wanted.push_back({"traces", {2, {first, 0}, {end, samples_}}});
  }

  apps::checkpoint_source source_;
  std::vector<state_array> state_;
  const shot& points_;
  index_t samples_ = 0;
  bool fits_ = false;
};

}  // namespace

checkpoint_writer::checkpoint_writer(const nearfar::team& team, std::string path, const restart_point& from,
                                     key_values same, checkpoint_options options)
    : team_(team), path_(std::move(path)), kept_(from.path), same_(std::move(same)), options_(std::move(options)) {}

void checkpoint_writer::tell(const char* what) const {
  if (options_.between) options_.between(what);
}

void checkpoint_writer::write(propagator& waves, const shot& points) {
  finish();
  const std::vector<state_array> state = waves.state();
  std::string text = about_text(waves, points, same_);
  apps::share(team_, text);  // nodes may have other kernels
  nearfar::output_options how = apps::checkpoint_options(std::exchange(kept_, {}));
  how.policy = options_.policy;
  stream_.emplace(team_, path_, arrays_of(team_, state, points, static_cast<index_t>(text.size())), how);
  tell("made");
  stream_->begin_step(static_cast<double>(waves.steps()) * waves.dt_s());
  for (const state_array& s : state) copy(s, s.own, stream_->slot(s.name), true, waves.options().threads);
  stream_->put("about", text.data());
  if (points.receivers() > 0 && points.samples() > 0) {
    const std::vector<float> traces = points.traces(team_);
    stream_->put("traces", traces.data());
  }
  tell("filled");
  stream_->end_step();
  step_ = waves.steps();
  tell("handed over");
}

void checkpoint_writer::finish() {
  if (!stream_) return;
  stream_->close();
  stream_.reset();
  tell("closed");
}

restart_point restart_from(const nearfar::team& team, const std::string& given, const key_values& same,
                           index_t last_step, propagator& waves, shot& points) {
  restart_point at;
  apps::as_restart(given, [&] {
    checkpoint_reading reading(team, given, waves, points);
    at.path = reading.stream();
    const about what = reading.text();
    if (const std::string words = difference_of(what.same, same); !words.empty()) throw nearfar::usage_error(words);
    if (what.step > last_step)
      throw nearfar::usage_error("time.end is at step " + std::to_string(last_step) +
                                 ", before the checkpoint's step, " + std::to_string(what.step));
    at.step = what.step, at.kernels = what.kernels;
    apps::agree_after(team, [&] { reading.fill(what, waves, points); });
  });
  return at;
}

}  // namespace seismic
