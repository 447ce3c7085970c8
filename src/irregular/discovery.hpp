// SPDX-License-Identifier: BSD-3-Clause
// The second half of making a plan: owners learn which ranks refer to which of their elements.
#pragma once

#include "inspector.hpp"
#include "notification_table.hpp"

namespace nearfar::irregular {

/// Places in this rank's arrays, sorted by the peer that they have to do with.
struct peer_lists {
  std::vector<share> peers;  ///< ascending
  std::vector<std::int32_t> places;
};

struct routes {
  peer_lists wanted;              ///< own elements that others have as ghosts, each peer's in the order of its ghosts
  std::vector<int> wanter_nodes;  ///< per peer of `wanted`
  /// For the canonical order only: the references of this rank to others' elements (positions among all its
  /// references), by owner; and, for each of the others' references to own elements, the element.
  peer_lists out_references, in_references;
};

/// Collective over the team. Where `uses_shared_memory`, near ranks use the notification table; the others get a
/// message.
/// @throws transport_error  a peer that dies or does not answer in the watchdog's time
routes discover(const team& members, notification_table& b, bool uses_shared_memory, const inspection& here,
                bool has_references, const std::string& plan);

}  // namespace nearfar::irregular
