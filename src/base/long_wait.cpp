// SPDX-License-Identifier: BSD-3-Clause
// The warning of a long wait, and the error that ends it.
#include <base/env.hpp>
#include <base/log.hpp>
#include <base/long_wait.hpp>
#include <base/text.hpp>
#include <nearfar/error.hpp>

namespace nearfar {

wait_limits wait_limits::of_environment() {
  wait_limits all;
  all.limit_s = env::limit_s("NEARFAR_WATCHDOG");
  if (all.limit_s > 0 && all.warning_s > all.limit_s / 2) all.warning_s = all.limit_s / 2;
  return all;
}

void long_wait::look(double now_s, const wait_limits& limits, int rank, const std::string& who,
                     const std::function<std::string()>& whom) {
  if (since_s_ == 0) since_s_ = now_s;
  const double waited = now_s - since_s_;
  if (!has_warned_ && limits.warning_s > 0 && waited > limits.warning_s) {
    has_warned_ = true;
    log::warning(who, ": waiting for ", whom(), " since ", readable_time(waited));
  }
  if (limits.limit_s > 0 && waited > limits.limit_s)
    throw transport_error(text("rank ", rank, ", ", who, ": no answer from ", whom(), " within ",
                               readable_time(limits.limit_s), " (NEARFAR_WATCHDOG, seconds; 0 waits for ever)"));
}

}  // namespace nearfar
