// SPDX-License-Identifier: BSD-3-Clause
#include <nearfar/collective.hpp>
#include <solver/shot.hpp>
#include <utility>

namespace seismic {

namespace {

/// The point whose rank has all others of a receiver's weights within its ghosts: the one below it along each
/// dimension.
std::array<index_t, 3> home(const point_weights& receiver) {
  std::array<index_t, 3> at{};
  for (std::size_t d = 0; d < 3; ++d) at[d] = receiver.first[d] + (receiver.counts[d] - 1) / 2;
  return at;
}

bool holds(const nearfar::box& b, const std::array<index_t, 3>& point) {
  for (std::size_t d = 0; d < 3; ++d)
    if (point[d] < b.lower[d] || point[d] >= b.upper[d]) return false;
  return true;
}

}  // namespace

shot::shot(propagator& waves, acquisition what) : waves_(waves), what_(std::move(what)) {
  std::vector<driven_point> driven;
  for (const driving_source& s : what_.sources) driven.push_back({s.where, s.is_physical});
  std::vector<point_weights> receivers;
  for (std::size_t r = 0; r < what_.receivers.size(); ++r)
    if (holds(waves_.own(), home(what_.receivers[r])))
      own_receivers_.push_back(r), receivers.push_back(what_.receivers[r]);
  waves_.points().set_points(std::move(driven), std::move(receivers));
}

void shot::drive(double time_s, bool is_physical) {
  amplitudes_.clear();
  for (const driving_source& s : what_.sources)
    amplitudes_.push_back(s.is_physical == is_physical ? s.amplitude * s.in_time->at(time_s) : 0);
  waves_.points().drive(amplitudes_, is_physical);
}

// At time n all ghosts of the fields are there once the step to n + 1 has been made.
void shot::record() {
  if ((waves_.steps() - 1) % what_.steps_per_sample != 0) return;
  waves_.points().record();
  ++samples_;
}

void shot::step(const block_observer& done) {
  const double time = static_cast<double>(waves_.steps()) * waves_.dt_s();
  drive(time, false);
  waves_.step(done);
  drive(time, true);
  record();
}

std::vector<nearfar::box> shot::driven() const {
  std::vector<nearfar::box> boxes;
  for (const auto& source : what_.sources) {
    if (!source.is_physical) continue;
    nearfar::box b{3, {}, {}};
    for (std::size_t d = 0; d < 3; ++d)
      b.lower[d] = source.where.first[d], b.upper[d] = b.lower[d] + source.where.counts[d];
    boxes.push_back(b);
  }
  return boxes;
}

std::array<index_t, 2> shot::own_range() const noexcept {
  if (own_receivers_.empty()) return {};
  return {static_cast<index_t>(own_receivers_.front()), static_cast<index_t>(own_receivers_.back()) + 1};
}

void shot::resume(std::span<const float> rows, index_t samples) {
  const auto count = static_cast<std::size_t>(samples), first = static_cast<std::size_t>(own_range()[0]);
  auto& recorded = waves_.points().recorded();
  for (std::size_t r = 0; r < own_receivers_.size(); ++r) {
    const auto row = rows.subspan((own_receivers_[r] - first) * count, count);
    recorded[r].assign(row.begin(), row.end());
  }
  samples_ = samples;
}

std::vector<float> shot::traces(const nearfar::team& team, const trace_change& change) const {
  const auto samples = static_cast<std::size_t>(samples_);
  std::vector<float> own(what_.receivers.size() * samples), all(team.is_root() ? own.size() : 0);
  const auto& recorded = waves_.points().recorded();
#pragma omp parallel for num_threads(waves_.options().threads) schedule(dynamic)
  for (std::size_t r = 0; r < own_receivers_.size(); ++r) {
    const std::span<float> trace = std::span(own).subspan(own_receivers_[r] * samples, samples);
    std::copy(recorded[r].begin(), recorded[r].end(), trace.begin());
    if (change) change(own_receivers_[r], trace);
  }
  // Each trace is of one rank, and zero elsewhere: sums are exact.
  nearfar::reduce(team, own.data(), all.data(), static_cast<index_t>(own.size()), MPI_FLOAT, nearfar::reduce_op::sum,
                  0);
  return all;
}

}  // namespace seismic
