// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: what a run goes on from, on any number of ranks and threads.
//
// Checkpoints at path P are output streams that take turns there (output_opening::take_turns), each of format rsf and
// of one step:
//
//     p_now, p_before, q_now, ...   the fields at both times, with the layers; each rank writes its own points
//     psi_z_low, zeta_z_low, ...    the memories of C-PML; each rank writes its part of each side
//     traces                        all samples so far, receiver after receiver, if there are any; of the root
//     about                         lines of text: the step, and what a run must have in common to go on; of the root
#pragma once

#include <app/signature.hpp>
#include <functional>
#include <nearfar/output.hpp>
#include <optional>
#include <solver/shot.hpp>
#include <string>

namespace seismic {

struct checkpoint_options {
  nearfar::output_policy policy = nearfar::output_policy::thread;
  /// For tests: called on all ranks after each operation on files.
  std::function<void(const char* what)> between{};
};

/// Where a run goes on.
struct restart_point {
  std::string path;     ///< the stream; empty: from the start
  index_t step = 0;     ///< the number of steps that have been made
  std::string kernels;  ///< that made them
};

/// Writes checkpoints, by a thread of one rank of each node while the run goes on. Takes the memory of a second state
/// of the run from the first one on.
class checkpoint_writer {
 public:
  /// Collective. @param from  where the run began, or none
  /// @param same  what a run must have in common to go on: signature_of()
  checkpoint_writer(const nearfar::team& team, std::string path, const restart_point& from, key_values same,
                    checkpoint_options options = {});
  /// Returns when the state has been copied. Collective. @throws nearfar::io_error  on every rank: this one cannot be
  /// begun, or the one before could not be written. The newest one that is whole stays
  void write(propagator& waves, const shot& points);
  /// Returns when the last one is whole. Collective. @throws nearfar::io_error
  void finish();
  /// Of which the last one is; -1: none was written.
  index_t step() const noexcept { return step_; }

 private:
  void tell(const char* what) const;

  const nearfar::team& team_;
  std::string path_, kept_;  // kept_: what the run goes on from, until a newer one is whole
  key_values same_;
  checkpoint_options options_;
  index_t step_ = -1;
  std::optional<nearfar::output_stream> stream_;
};

/// Fills the waves and traces of a run that has not begun with a checkpoint's. Collective.
/// @param given      as for checkpoint_writer: the newer of its two streams is taken; or the path of a stream itself
/// @param last_step  of the run
/// @throws nearfar::io_error     on every rank: nothing is there, or it is damaged
/// @throws nearfar::usage_error  on every rank: it is something else, or of other settings, with the first that differs
/// and both values; the run ends before its step. Waves and traces are as they were then
restart_point restart_from(const nearfar::team& team, const std::string& given, const key_values& same,
                           index_t last_step, propagator& waves, shot& points);

}  // namespace seismic
