// SPDX-License-Identifier: BSD-3-Clause
// Turns a method of gathering into a contender: fresh data for every operation, results looked at after each.
#pragma once

#include "bench_irregular_method.hpp"

namespace bench {

/// Sets the method up and wraps it. Its setup time and the heap memory it holds are measured; false if it cannot serve.
/// Collective.
bool add_contender(const irregular_site& here, act what, const irregular_method_maker& from,
                   std::vector<contender>& to);

/// What the loop costs without the operation: reading the clock, or, in loop timing, writing and looking too.
std::function<double(int)> make_floor(const irregular_site& here, act what);

}  // namespace bench
