// SPDX-License-Identifier: BSD-3-Clause
// A wait that has become long says so, and is given up where that was asked for.
#pragma once

#include <functional>
#include <string>

namespace nearfar {

/// What is known of all waits.
struct wait_limits {
  double warning_s = 60;  ///< after this long a line in the log names the wait; 0: never
  double limit_s = 0;     ///< NEARFAR_WATCHDOG: after this long it is given up with transport_error; 0: never

  /// With the environment's NEARFAR_WATCHDOG; the warning comes at half of it at the latest. @throws usage_error
  static wait_limits of_environment();
};

/// One wait, from its first look at the clock on.
class long_wait {
 public:
  /// `who` waits for `whom()`, which is asked only when the wait has become long. @throws transport_error
  void look(double now_s, const wait_limits& limits, int rank, const std::string& who,
            const std::function<std::string()>& whom);

 private:
  double since_s_ = 0;
  bool has_warned_ = false;
};

}  // namespace nearfar
