// SPDX-License-Identifier: BSD-3-Clause
// What of a shot's traces is recorded, and what is written of that.
#pragma once

#include <nearfar/team.hpp>
#include <settings/settings.hpp>
#include <solver/shot.hpp>

namespace seismic {

struct sampling {
  index_t steps = 1;      ///< from one sample that is recorded to the next
  index_t every = 1;      ///< so many of these make an interval of what is written
  bool corrects = false;  ///< the error of the steps is taken out of wavelets and traces
};

/// Samples are recorded as they are written, but more often where those have not all frequencies of the wavelet, which
/// a correction needs, or too few of its highest one to integrate velocities. @throws nearfar::usage_error  an interval
/// that is no multiple of the step
/// @param highest_hz  of the sources; 0: there are none
sampling sampling_of(const settings& what, double dt_s, double highest_hz);

/// The error of the steps is taken out if the settings say so, and no source acts as the mini-app's do, whose traces
/// are to be like its own.
bool corrects_steps(const settings& what);

struct time_steps {
  index_t end = 0;
  double dt_s = 0;
};

/// Steps to the end of the settings, and with those behind it that traces need: the fields around a receiver are those
/// of a step once the next one has been made. Snapshots and checkpoints know nothing of them.
struct run_length {
  index_t end = 0, all = 0;
};
run_length length_of(const settings& what, const sampling& how, double dt_s);

/// Traces to the files of the settings, from time 0 to that of the last step, without the error of the steps if that is
/// taken out, and derivatives integrated where velocities are wanted: then steps behind the last one have been
/// recorded, too. Collective. @throws nearfar::io_error  on every rank
void write_gathers(const nearfar::team& team, const settings& what, const shot& done, const sampling& how,
                   const time_steps& steps);

}  // namespace seismic
