// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <common/time_limit.hpp>
#include <nearfar/collective.hpp>

namespace apps {

bool time_limit::is_over(const nearfar::team& team, index_t step) {
  if (limit_s_ <= 0 || step < next_) return false;
  index_t next = 0;
  if (team.is_root()) {
    const double seconds = clock_();
    if (seconds < limit_s_) next = step + steps_ahead(seconds, step);
  }
  nearfar::bcast(team, next, 0);
  next_ = next;
  return next == 0;
}

// By the steps since the first look; never more than there were between the looks so far, in case they become slower.
index_t time_limit::steps_ahead(double seconds, index_t step) {
  if (first_step_ == 0) {
    first_step_ = last_step_ = step, first_s_ = seconds;
    return 1;
  }
  const double wanted_s = std::min(1.0, (limit_s_ - seconds) / 4);
  const double per_step = std::max(1e-9, (seconds - first_s_) / static_cast<double>(step - first_step_));
  const index_t most = 2 * (step - last_step_);
  last_step_ = step;
  return std::max<index_t>(1, std::min(most, static_cast<index_t>(std::min(1e9, wanted_s / per_step))));
}

}  // namespace apps
