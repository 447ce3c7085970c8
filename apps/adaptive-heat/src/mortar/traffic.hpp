// SPDX-License-Identifier: BSD-3-Clause
// What sums over mortar points move between ranks.
#pragma once

#include <cstdint>
#include <mortar/exchange.hpp>
#include <vector>

namespace adaptive_heat {

/// How many values of each rank this one refers to in a round of messages: once per ghost, or in the form ordered once
/// per reference, since there each travels for itself. Counted from the plan, whatever the method moves them by.
/// Collective over the team.
std::vector<std::int64_t> values_by_owner(const nearfar::team& members, const mortar_exchange& exchange);

}  // namespace adaptive_heat
