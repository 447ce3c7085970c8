// SPDX-License-Identifier: BSD-3-Clause
// How far a long run is, for who looks at it.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

namespace apps {

/// One rank's. A terminal has one line that is written anew every second, anything else a line every half minute;
/// nothing is written before that time has passed once.
class run_progress {
 public:
  /// @param unit  of a million things a second: "Mop/s"
  /// @param word  what a step is called
  run_progress(int steps, std::string unit, std::FILE* to, bool is_terminal, std::string word = "step")
      : steps_(steps), unit_(std::move(unit)), word_(std::move(word)), to_(to), is_terminal_(is_terminal) {}
  void expect(int steps) { steps_ = steps; }  ///< of a run that finds out on its way
  /// @param things   that were done since step 0
  /// @param seconds  since the run began
  void advanced(int step, double things, double seconds);
  void end();  ///< leaves the terminal's line

 private:
  int steps_;
  std::string unit_, word_;
  std::FILE* to_;
  bool is_terminal_;
  double said_ = 0, things_before_ = 0;
  int first_step_ = -1;
  bool has_line_ = false;
};

/// "step 120 of 250, 48 %, 481.2 Mop/s, 3 min 20 s left"
std::string progress_line(int step, int steps, int first_step, double things, double seconds, const std::string& unit,
                          const std::string& word = "step");

}  // namespace apps
