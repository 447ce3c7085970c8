// SPDX-License-Identifier: BSD-3-Clause
// At the start of a run there is output, at that of a restart there was; at the end there is both.
#include <app/observers.hpp>

namespace adaptive_heat {

run_writer::run_writer(const nearfar::team& members, const app_options& options, const nearfar::output_writers* writers,
                       const std::string& kept)
    : options_(options) {
  if (!options.output.empty())
    series_.emplace(members, options.what, series_options{options.output, options.output_policy, writers});
  if (!options.checkpoint.empty()) checkpoints_.emplace(members, options.checkpoint, kept);
}

void run_writer::advanced(const run_state& now, const heat_solver& solver, const run_state& first) {
  const bool is_last = now.step == options_.what.steps, is_first = now.step == first.step;
  if (series_ && (now.step % options_.output_every == 0 || is_last || is_first))
    series_->write(now, solver, first.step > 0);
  if (checkpoints_ && !is_first && (now.step % options_.checkpoint_every == 0 || is_last))
    checkpoints_->write(options_.what, now, solver);
}

void run_writer::close() {
  if (series_) series_->close();
  if (checkpoints_) checkpoints_->finish();
}

}  // namespace adaptive_heat
