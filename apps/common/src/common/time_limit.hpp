// SPDX-License-Identifier: BSD-3-Clause
// When a run has to end because its time of the clock is over.
#pragma once

#include <functional>
#include <nearfar/index.hpp>
#include <nearfar/team.hpp>

namespace apps {

using nearfar::index_t;
using seconds_clock = std::function<double()>;

/// The root alone looks at its clock, since clocks differ, and tells the others what comes of it: that the run ends
/// here, or at which step it looks again. So all ranks know before a look that it will be, and the same verdict reaches
/// them at the same step, however far apart they are. A look costs a broadcast of 8 bytes; there is about one a second
/// and, in the last seconds, up to one a step: the run ends within about a step of the limit, if steps take as long as
/// they did.
class time_limit {
 public:
  /// @param limit_s  0: none
  time_limit(double limit_s, seconds_clock clock) : limit_s_(limit_s), clock_(std::move(clock)) {}

  /// After each step, which is above 0. Collective where a look is due.
  bool is_over(const nearfar::team& team, index_t step);

 private:
  index_t steps_ahead(double seconds, index_t step);

  double limit_s_;
  seconds_clock clock_;
  index_t next_ = 0;  ///< look; 0: at once
  index_t first_step_ = 0, last_step_ = 0;
  double first_s_ = 0;  ///< when the first look was
};

}  // namespace apps
