// SPDX-License-Identifier: BSD-3-Clause
// Switches off near work during far messages, to measure what the overlap gains. For benchmarks and tests.
#pragma once

namespace nearfar::exchange {

struct overlap_switch {
  /// Exchanges made meanwhile leave near work until far messages have arrived on this rank; not those that lend.
  bool is_off = false;
  double near_s = 0;  ///< seconds from there to the end of the near work, of the last exchange that did so
};

/// Of this process, looked at when an exchange is made. Ranks need not agree; results are the same.
overlap_switch& overlap() noexcept;

}  // namespace nearfar::exchange
