// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <mortar/traffic.hpp>
#include <vector>

namespace adaptive_heat {

sum_traffic traffic_of(const nearfar::gather_plan& plan, int rounds) {
  const std::vector<nearfar::index> ghosts = plan.ghost_indices();
  std::vector<int> owners(ghosts.size());
  std::vector<nearfar::index> offsets(ghosts.size());
  plan.where().locate(ghosts, owners, offsets);
  sum_traffic t{.rounds = rounds, .remote = static_cast<std::int64_t>(ghosts.size())};
  t.far = std::count_if(owners.begin(), owners.end(), [&](int r) { return !plan.members().is_near(r); });
  std::sort(owners.begin(), owners.end());
  t.partners = std::unique(owners.begin(), owners.end()) - owners.begin();
  return t;
}

}  // namespace adaptive_heat
