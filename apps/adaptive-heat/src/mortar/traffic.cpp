// SPDX-License-Identifier: BSD-3-Clause
// Ghosts, and their owners by the plan's distribution.
#include <algorithm>
#include <mortar/traffic.hpp>

namespace adaptive_heat {

std::vector<std::int64_t> values_by_owner(const nearfar::team& members, const mortar_exchange& exchange) {
  using counts = std::vector<std::int64_t>;
  counts values(static_cast<std::size_t>(members.size()));
  const nearfar::irregular_plan* const plan = exchange.plan();
  if (plan == nullptr || members.size() == 1) return values;
  const counts ghosts = plan->ghost_indices();
  std::vector<int> owner(ghosts.size());
  counts offset(ghosts.size()), times(ghosts.size(), 1);
  plan->where().locate(ghosts, owner, offset);
  if (exchange.form() == exchange_form::ordered) {
    std::fill(times.begin(), times.end(), 0);
    for (const std::int64_t local : plan->local_indices())
      if (local >= plan->where().owned()) ++times[static_cast<std::size_t>(local - plan->where().owned())];
  }
  for (std::size_t g = 0; g < ghosts.size(); ++g) values[static_cast<std::size_t>(owner[g])] += times[g];
  return values;
}

}  // namespace adaptive_heat
