// SPDX-License-Identifier: BSD-3-Clause
// What a run writes while it goes on.
#pragma once

#include <app/options.hpp>
#include <nearfar/team.hpp>
#include <optional>
#include <output/checkpoint.hpp>
#include <output/mesh_series.hpp>

namespace adaptive_heat {

/// Output and checkpoints as the options say. Collective, after each step.
class run_writer {
 public:
  /// `writers`: whose computing() the members are, or null. `kept`: the checkpoint that the run goes on from, or empty.
  run_writer(const nearfar::team& members, const app_options& options, const nearfar::output_writers* writers = nullptr,
             const std::string& kept = {});
  /// `first` is the state that the run began with.
  void advanced(const run_state& now, const heat_solver& solver, const run_state& first);
  /// All that has been written is on the disk. Collective. @throws nearfar::io_error on every rank
  void close();

 private:
  app_options options_;
  std::optional<mesh_series> series_;
  std::optional<checkpoint_writer> checkpoints_;
};

}  // namespace adaptive_heat
