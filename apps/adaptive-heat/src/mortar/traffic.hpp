// SPDX-License-Identifier: BSD-3-Clause
// What one sum over mortar points costs in messages.
#pragma once

#include <cstdint>
#include <nearfar/gather_plan.hpp>

namespace adaptive_heat {

struct sum_traffic {
  int rounds = 0;             ///< of messages, one after the other
  std::int64_t remote = 0;    ///< values that this rank asks other ranks for, in each round
  std::int64_t far = 0;       ///< of those, ranks of other nodes
  std::int64_t partners = 0;  ///< ranks that it asks
};

/// Counted from the plan's ghosts and their owners, whatever the method moves them by. Collective over the plan's team.
sum_traffic traffic_of(const nearfar::gather_plan& plan, int rounds);

}  // namespace adaptive_heat
