// SPDX-License-Identifier: BSD-3-Clause
// Which of the methods this machine and this team can have: some need shared memory, several nodes or working RMA.
#pragma once

#include <algorithm>
#include <nearfar/nearfar.hpp>
#include <string>
#include <vector>

namespace nearfar::test {

inline bool can_be_had(const team& members, const std::string& method) {
  const field<int> f(grid(members, {2 * members.size()}, {.periodic = {true}}), {.ghosts = 1});
  try {
    halo_plan(f, {.method = method});
    return true;
  } catch (const usage_error& e) {
    if (std::string(e.what()).find("cannot be had") == std::string::npos) throw;
    return false;
  }
}

/// Names of the methods that can be pinned here; "isend" is always one of them. Collective.
inline std::vector<std::string> methods_here(const team& members) {
  std::vector<std::string> names;
  for (const method_info& m : methods("halo"))
    if (can_be_had(members, m.name)) names.push_back(m.name);
  if (std::find(names.begin(), names.end(), "isend") == names.end()) throw usage_error("isend must always be there");
  return names;
}

}  // namespace nearfar::test
