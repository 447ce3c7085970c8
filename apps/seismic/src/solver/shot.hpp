// SPDX-License-Identifier: BSD-3-Clause
// A shot: sources, waves, receivers.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <points/points.hpp>
#include <solver/propagator.hpp>
#include <span>
#include <vector>
#include <wavelet/wavelet.hpp>

namespace seismic {

/// A point that drives the waves.
struct driving_source {
  point_weights where;
  std::shared_ptr<const wavelet> in_time;
  double amplitude = 1;
  /// p_tt / vp^2 = ... + amplitude s(t) delta(x), of p alone for the self-adjoint system, else of both fields; or, as
  /// the mini-app does, amplitude s(t) is added to all fields before each step.
  bool is_physical = true;
};

/// What a shot is made of; the same on all ranks.
struct acquisition {
  std::vector<driving_source> sources;
  std::vector<point_weights> receivers;
  index_t steps_per_sample = 1;
};

/// Works on the trace of a receiver in place, for several of them at a time.
using trace_change = std::function<void(std::size_t receiver, std::span<float> trace)>;

/// Sources act on the own points of each rank; a receiver belongs to the rank of the point below it, which has all
/// points that it needs as ghosts: no message but the halo's, and the same bits for any ranks.
class shot {
 public:
  /// The propagator's ghosts are not fewer than the half width of receivers' weights. Local.
  shot(propagator& waves, acquisition what);

  /// One time step, what is recorded at its beginning included. Collective over neighbours.
  /// @param done  as of propagator::step(); what sources then add to p is in driven()
  void step(const block_observer& done = {});
  /// Where sources change p after a step's blocks have been computed: boxes of the grid.
  std::vector<nearfar::box> driven() const;
  /// Recorded so far, receiver after receiver, on the root; elsewhere nothing. Collective.
  /// @param change  of each trace; empty: none
  std::vector<float> traces(const nearfar::team& team, const trace_change& change = {}) const;
  index_t samples() const noexcept { return samples_; }
  index_t receivers() const noexcept { return static_cast<index_t>(what_.receivers.size()); }
  index_t steps_per_sample() const noexcept { return what_.steps_per_sample; }
  const std::vector<driving_source>& sources() const noexcept { return what_.sources; }
  /// The smallest range, first and end, that has all receivers of this rank; {0, 0}: it has none.
  std::array<index_t, 2> own_range() const noexcept;
  /// Goes on behind what another run has recorded. Local.
  /// @param rows  the traces of own_range(), one after the other
  void resume(std::span<const float> rows, index_t samples);

 private:
  void drive(double time_s, bool is_physical);
  void record();

  propagator& waves_;
  acquisition what_;
  std::vector<std::size_t> own_receivers_;
  std::vector<double> amplitudes_;
  index_t samples_ = 0;
};

}  // namespace seismic
