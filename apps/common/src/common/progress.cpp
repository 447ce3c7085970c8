// SPDX-License-Identifier: BSD-3-Clause
// Time left: as long per step as until now.
#include <cmath>
#include <common/progress.hpp>

namespace apps {
namespace {

constexpr double terminal_pause = 1, log_pause = 30;  ///< seconds

std::string duration(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

}  // namespace

std::string progress_line(int step, int steps, int first_step, double things, double seconds, const std::string& unit,
                          const std::string& word) {
  const double per_step = seconds / (step - first_step);
  char line[160];
  std::snprintf(line, sizeof line, "%s %d of %d, %d %%, %.1f %s, %s left", word.c_str(), step, steps,
                100 * step / steps, 1e-6 * things / seconds, unit.c_str(), duration(per_step * (steps - step)).c_str());
  return line;
}

void run_progress::advanced(int step, double things, double seconds) {
  if (first_step_ < 0) {
    first_step_ = step, things_before_ = things;
    return;
  }
  if (seconds - said_ < (is_terminal_ ? terminal_pause : log_pause) || step <= first_step_) return;
  said_ = seconds;
  const std::string line = progress_line(step, steps_, first_step_, things - things_before_, seconds, unit_, word_);
  std::fprintf(to_, is_terminal_ ? "\r %s\033[K" : " %s\n", line.c_str());
  std::fflush(to_);
  has_line_ = is_terminal_;
}

void run_progress::end() {
  if (has_line_) std::fputs("\r\033[K", to_);
  has_line_ = false;
}

}  // namespace apps
