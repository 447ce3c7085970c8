// SPDX-License-Identifier: BSD-3-Clause
// What a run prints.
#pragma once

#include <app/ground.hpp>
#include <app/snapshots.hpp>
#include <solver/propagator.hpp>
#include <string>

namespace seismic {

struct run_facts {
  double highest_hz = 0;  ///< of the sources
  double measured = 0;    ///< propagator::measured_rate()
  std::string summary{};  ///< summary()
  std::string no_gpu{};   ///< why none is used; empty: one is, or none was asked for
};

/// Grid, medium, time step and its bound, points in the shortest wave. Local, for the root.
std::string opening(const settings& what, const ground& on, const propagator& waves, index_t steps,
                    const run_facts& facts);

/// Seconds, points per second, bytes and operations per point of so many steps; what snapshots cost. `films` may be
/// null.
std::string closing(const ground& on, index_t steps, double seconds, const snapshots* films);

}  // namespace seismic
