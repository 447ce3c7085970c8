// SPDX-License-Identifier: BSD-3-Clause
// What near work that goes on while far messages travel is worth: exchanges can be told to do without. For benchmarks and tests.
#pragma once

namespace nearfar::exchange {

struct overlap_switch {
  bool is_off =
      false;  ///< exchanges that start() then leave near work until far messages have arrived on this rank; not those that lend
  double near_s = 0;  ///< seconds from there to the end of the near work, of the last exchange that did so
};

/// Of this process: to be set between exchanges, by the one thread that runs them. Ranks need not agree; results are the same.
overlap_switch& overlap() noexcept;

}  // namespace nearfar::exchange
