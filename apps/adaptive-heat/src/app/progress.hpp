// SPDX-License-Identifier: BSD-3-Clause
// How far a long run is, for who looks at it.
#pragma once

#include <cstdio>
#include <solver/simulation.hpp>
#include <string>

namespace adaptive_heat {

/// One rank's. A terminal has one line that is written anew every second, anything else a line every half minute; nothing is
/// written before that time has passed once.
class run_progress {
 public:
  run_progress(int steps, std::FILE* to, bool is_terminal) : steps_(steps), to_(to), is_terminal_(is_terminal) {}
  void advanced(const run_state& now, double seconds);  ///< since the run began
  void end();                                           ///< leaves the terminal's line

 private:
  int steps_;
  std::FILE* to_;
  bool is_terminal_;
  double said_ = 0, points_before_ = 0;
  int first_step_ = -1;
  bool has_line_ = false;
};

/// "step 120 of 250, 48 %, 481.2 Mop/s, 3 min 20 s left"
std::string progress_line(int step, int steps, int first_step, double points, double seconds);

}  // namespace adaptive_heat
