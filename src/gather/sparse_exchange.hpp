// SPDX-License-Identifier: BSD-3-Clause
// Messages to ranks that do not know that they will get any, without a number per rank of the team.
#pragma once

#include <base/numbers.hpp>
#include <cstddef>
#include <nearfar/team.hpp>
#include <string>
#include <vector>

namespace nearfar::gathering {

struct message {
  int peer = 0;
  std::vector<std::byte> bytes;
};

/// Sends each message to its peer; returns those that came for this rank, by ascending sender. At most one message per
/// peer, none to this rank. Collective over the team. `what` names the plan in the words of the watchdog.
/// @throws transport_error  if MPI fails or the watchdog's time is over
/// @cost   one message each, and a barrier that does not block
/// @source the NBX algorithm of Hoefler, Siebert and Lumsdaine (2010)
std::vector<message> sparse_exchange(const team& members, const std::vector<message>& out, const std::string& what);

}  // namespace nearfar::gathering
