// SPDX-License-Identifier: BSD-3-Clause
// Which rank of a node receives the elements of a far owner that several of its ranks want, and where in its area each
// of them finds its ghosts.
#pragma once

#include "discovery.hpp"

namespace nearfar::irregular {

/// Ghosts of one far owner, as they lie in the area of the near rank that received them.
struct reading {
  share ghosts;
  int receiver = 0;        ///< near rank
  index_t first = 0;       ///< of the owner's elements in the receiver's area
  index_t count = 0;       ///< of these, for all ranks of the node
  std::int32_t start = 0;  ///< of the ghosts among these, where they lie together and in order; else -1
  index_t places = 0;      ///< else: where their places among these begin in the list of places
};

/// An element that ranks of a far node want comes to that node once. Its owner chooses which of the ranks that want
/// elements of it receives.
struct relay_lists {
  peer_lists out;                    ///< own elements, each once per node, by the rank that receives them
  std::vector<share> in;             ///< what this rank receives: entries of its area, by owner
  std::vector<int> readers;          ///< the other near ranks that read from this rank's area, ascending
  std::vector<reading> readings;     ///< by receiver, then owner
  std::vector<std::int32_t> places;  ///< of ghosts that do not lie together

  index_t area_entries() const noexcept { return in.empty() ? 0 : in.back().first + in.back().count; }
};

/// Collective over the team.
/// @cost  a message each way between all pairs of a far owner and a rank that wants elements of it: 4 bytes per element
/// that another rank of the node wants too; two gatherings over the node
relay_lists make_relay_lists(const team& members, const inspection& here, const routes& to);

}  // namespace nearfar::irregular
